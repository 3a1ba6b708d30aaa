import { execFile } from "node:child_process";
import { createHmac } from "node:crypto";
import { promisify } from "node:util";
import { expect, type BrowserContext } from "@playwright/test";
import * as v from "valibot";
import { caller, send, unique } from "./people";

const run = promisify(execFile);

export interface Staff {
  name: string;
  email: string;
  password: string;
  /** The authenticator's data. */
  secret: string;
}

/** Creates a member of support staff on the product's command line. */
export async function invitedStaff(firstName: string) {
  const { PRODUCT: product, PRODUCT_DATA_DIR: dataDir } = process.env;
  if (!product || !dataDir) {
    throw new Error("PRODUCT names the binary that runs at BASE_URL, PRODUCT_DATA_DIR its data");
  }
  const name = unique(firstName);
  const email = `${name.toLowerCase().replaceAll(" ", ".")}@staff.example`;
  const env = { ...process.env, DATA_DIR: dataDir };
  const { stdout } = await run(product, ["staff", "add", "--name", name, "--email", email], {
    env,
  });
  const shown = (label: string) => {
    const [, value] = new RegExp(`^${label}: +(\\S+)$`, "m").exec(stdout) ?? [];
    if (!value) throw new Error(`the command shows no ${label}`);
    return value;
  };
  return { name, email, enrolmentCode: shown("Enrolment code") };
}

const enrolment = v.object({ secret: v.string() });

/** A member of staff who has enrolled over REST. */
export async function supportStaff(context: BrowserContext, firstName: string): Promise<Staff> {
  const { name, email, enrolmentCode } = await invitedStaff(firstName);
  const call = caller(context);
  const path = "/api/auth/staff-enrolment";
  const begun = await call("POST", path, { code: enrolmentCode });
  const { secret } = v.parse(enrolment, begun);
  const password = `${firstName} digs 88`;
  // The previous code, so that the current one is left for the sign-in.
  const totp = code(secret, -1);
  await call("POST", `${path}/finish`, { code: enrolmentCode, newPassword: password, totp });
  await call("POST", "/api/auth/logout");
  return { name, email, password, secret };
}

/** Signs in over REST; this uses the code of the current half minute. */
export async function staffIn(context: BrowserContext, { email, password, secret }: Staff) {
  const credentials = {
    emailOrBusinessName: email,
    password,
    totp: code(secret),
  };
  const answer = await send(context, "POST", "/api/auth/login", credentials);
  expect(answer.ok(), `staff can't sign in: ${answer.status()}`).toBe(true);
}

/**
 * The code of the authenticator now, or a number of half minutes later (RFC 6238: SHA-1, six
 * digits, half a minute). Each works once.
 */
export function code(secret: string, later = 0): string {
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + later));
  const digest = createHmac("sha1", fromBase32(secret)).update(step).digest();
  const word = digest.readUInt32BE((digest.at(-1) ?? 0) & 15) & 0x7fff_ffff;
  return String(word % 1_000_000).padStart(6, "0");
}

function fromBase32(text: string): Buffer {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const bits = Array.from(text)
    .map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, "0"))
    .join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
