import { execFile } from "node:child_process";
import { createHmac } from "node:crypto";
import { promisify } from "node:util";
import { expect, type BrowserContext } from "@playwright/test";
import { send, unique } from "./people";

const run = promisify(execFile);

export interface Staff {
  name: string;
  email: string;
  password: string;
  /** What the authenticator knows. */
  secret: string;
}

/** A member of support staff, made as an operator of the product makes one: on its command line. */
export async function supportStaff(firstName: string): Promise<Staff> {
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
  return {
    name,
    email,
    password: shown("Password"),
    secret: shown("Authenticator secret"),
  };
}

/** Signs in without the page. The code of this half minute is used up then. */
export async function staffIn(context: BrowserContext, { email, password, secret }: Staff) {
  const credentials = {
    emailOrBusinessName: email,
    password,
    totp: code(secret),
  };
  const answer = await send(context, "POST", "/api/auth/login", credentials);
  expect(answer.ok(), `staff can't sign in: ${answer.status()}`).toBe(true);
}

/** What the authenticator shows now (RFC 6238: SHA-1, six digits, half a minute). Each works once. */
export function code(secret: string): string {
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000)));
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
