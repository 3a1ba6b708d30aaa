import { webcrypto } from "node:crypto";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { enrolledIds, isEnrolled } from "./enrolled";
import {
  checkPin,
  dropEnded,
  endEnrolment,
  forgetPin,
  newEnrolment,
  onPinEnded,
  readEnded,
  readEnrolment,
  restoreTries,
  saveEnrolment,
  sign,
} from "./enrolment";
import type { Identity } from "./identity";

const device = vi.hoisted(() => new Map<string, unknown>());
const unsent = vi.hoisted(() => ({ counts: [] as Array<{ userId: string; unsent: number }> }));

vi.mock("./entries", () => ({
  countEntries: () => Promise.resolve(unsent.counts),
  reportChange: () => undefined,
}));
vi.mock(import("./database"), async (original) => ({
  ...(await original()),
  readCached: (key: string) => Promise.resolve(device.get(key)),
  writeCached: (key: string, value: unknown) => {
    device.set(key, value);
    return Promise.resolve(true);
  },
  updateCached: (key: string, change: (value: unknown) => unknown) => {
    if (device.has("broken")) return Promise.resolve(undefined);
    device.set(key, change(device.get(key)));
    return Promise.resolve(device.get(key));
  },
  deleteCached: (...keys: string[]) => {
    for (const key of keys) device.delete(key);
    return Promise.resolve();
  },
}));

const person = (id: string): Identity => ({
  id,
  companyId: "c1",
  firstName: id,
  lastName: null,
  role: "operator",
  businessName: "Acme",
  operatorUsername: `${id}1234`,
  fuelUnit: null,
});
const maria = person("maria");
const juan = person("juan");

beforeEach(async () => {
  vi.stubGlobal("crypto", webcrypto);
  device.clear();
  unsent.counts = [];
  await saveEnrolment(await newEnrolment("c1", "Crew phone"), maria, "4073");
  const enrolled = await readEnrolment();
  if (enrolled) await saveEnrolment(enrolled, juan, "90210");
});

const triesOf = async (userId: string) =>
  (await readEnrolment())?.people.find(({ user }) => user.id === userId)?.triesLeft;

describe("a PIN", () => {
  it("opens the page of its own person", async () => {
    expect(await checkPin("maria", "4073")).toEqual(maria);
    expect(await checkPin("juan", "90210")).toEqual(juan);
    expect(await checkPin("juan", "4073")).toBe(4);
  });

  it("that is wrong takes one of five attempts, which the right one restores", async () => {
    expect(await checkPin("maria", "1111")).toBe(4);
    expect(await checkPin("maria", "1111")).toBe(3);
    expect(await triesOf("maria")).toBe(3);
    expect(await checkPin("maria", "4073")).toEqual(maria);
    expect(await triesOf("maria")).toBe(5);
  });

  it("is refused after five wrong ones, until the person signs in with the password", async () => {
    for (const left of [4, 3, 2, 1, 0]) expect(await checkPin("maria", "1111")).toBe(left);
    expect(await checkPin("maria", "4073")).toBe(0);
    expect(await checkPin("juan", "90210")).toEqual(juan);
    await restoreTries(maria);
    expect(await checkPin("maria", "4073")).toEqual(maria);
  });

  it("counts the attempt before it is checked", async () => {
    const checking = checkPin("maria", "1111");
    await vi.waitFor(async () => expect(await triesOf("maria")).toBe(4));
    await checking;
  });

  it("is not checked when the phone can't store the attempt", async () => {
    device.set("broken", true);
    expect(await checkPin("maria", "4073")).toBe("unstored");
  });

  it("gives the person the newest list of machines on the phone", async () => {
    const list = (day: number, value: string) => ({ value, syncedAt: new Date(2026, 0, day) });
    device.set("meters/maria", list(1, "old"));
    device.set("meters/juan", list(2, "new"));
    await checkPin("maria", "4073");
    expect(device.get("meters/maria")).toMatchObject({ value: "new" });
  });

  it("can be forgotten, and the last one removes the keys", async () => {
    await forgetPin("maria");
    expect(await enrolledIds()).toEqual(["juan"]);
    expect(await checkPin("maria", "4073")).toBe("removed");
    await forgetPin("juan");
    expect(await isEnrolled()).toBe(false);
    expect(device.get("enrolment")).toBeUndefined();
  });
});

describe("the phone's key", () => {
  it("signs as the server verifies, and can't be exported", async () => {
    const enrolled = await readEnrolment();
    if (!enrolled) throw new Error("not enrolled");
    const { subtle } = webcrypto;
    const bytes = (text: string) => Buffer.from(text, "base64url");
    const publicKey = bytes(enrolled.publicKey);
    expect(publicKey).toHaveLength(65);
    const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
    const key = await subtle.importKey("raw", publicKey, algorithm, true, ["verify"]);
    const signature = bytes(await sign(enrolled, "text ñ"));
    expect(await subtle.verify(algorithm, key, signature, Buffer.from("text ñ"))).toBe(true);
    expect(enrolled.signingKey.extractable).toBe(false);
    expect(enrolled.pinKey.extractable).toBe(false);
  });
});

async function end(userIds: readonly string[], why: "device" | "person") {
  const enrolled = await readEnrolment();
  if (enrolled) await endEnrolment(enrolled, userIds, why);
}

describe("a removal by a manager", () => {
  it("has its reason stored before a page closes because of it", async () => {
    let stored: unknown;
    const remove = onPinEnded(() => {
      stored = readEnded();
    });
    await end(["maria"], "device");
    remove();
    expect(await stored).toEqual({ names: ["maria"], why: "device" });
  });

  it("does not end a PIN that was chosen since the phone asked", async () => {
    const enrolled = await readEnrolment();
    if (!enrolled) throw new Error("not enrolled");
    await saveEnrolment(enrolled, maria, "5174");
    await endEnrolment(enrolled, ["maria"], "person");
    expect(await checkPin("maria", "5174")).toEqual(maria);
  });

  it("of the phone forgets PINs and machines at once, and the key when nothing is left", async () => {
    device.set("meters/maria", { syncedAt: new Date() });
    unsent.counts = [
      { userId: "maria", unsent: 1 },
      { userId: "juan", unsent: 1 },
    ];
    await end(["maria", "juan"], "device");
    unsent.counts = [{ userId: "juan", unsent: 1 }];
    await dropEnded();
    expect(await enrolledIds()).toEqual([]);
    expect(await checkPin("juan", "90210")).toBe("removed");
    expect(JSON.stringify(device.get("enrolment"))).toContain('"verifier":""');
    expect(device.has("meters/maria")).toBe(false);
    expect(await readEnded()).toEqual({ names: ["maria", "juan"], why: "device" });
    // The entry of the other person is still sent with the key.
    expect((await readEnrolment())?.people.map(({ user }) => user.id)).toEqual(["juan"]);
    unsent.counts = [];
    await dropEnded();
    expect(await isEnrolled()).toBe(false);
  });

  it("of a person leaves the others", async () => {
    await end(["maria"], "person");
    await dropEnded();
    expect(await enrolledIds()).toEqual(["juan"]);
    expect(await readEnded()).toEqual({ names: ["maria"], why: "person" });
    expect(await checkPin("juan", "90210")).toEqual(juan);
  });
});
