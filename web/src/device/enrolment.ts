import * as v from "valibot";
import { deleteCached, readCached, updateCached, writeCached } from "./database";
import { enrolmentKey } from "./enrolled";
import { countEntries } from "./entries";
import { identitySchema, type Identity } from "./identity";
import { cacheKeys } from "./person";

// A phone that is enrolled with the company: its keys can't be exported, and the PINs of its people
// never leave it.

const maxTries = 5;

const rounds = 600_000;

const cryptoKey = v.custom<CryptoKey>((value) => typeof value === "object" && value !== null);

const personSchema = v.object({
  user: identitySchema,
  salt: v.string(),
  verifier: v.string(),
  /** Failed attempts that remain; then only a sign-in with the password restores them. */
  triesLeft: v.number(),
  /** Removed by a manager. Only the entries that are left on the phone are still sent. */
  ended: v.optional(v.boolean(), false),
});

const enrolmentSchema = v.object({
  /** Chosen by the phone. */
  id: v.string(),
  label: v.string(),
  companyId: v.string(),
  /** Base64url of the raw point. */
  publicKey: v.string(),
  signingKey: cryptoKey,
  pinKey: cryptoKey,
  people: v.array(personSchema),
});

type Person = v.InferOutput<typeof personSchema>;
export type Enrolment = v.InferOutput<typeof enrolmentSchema>;

/** Browsers have keys on https and localhost only. */
export const canEnrol = () => "subtle" in crypto && typeof indexedDB !== "undefined";

export async function readEnrolment(): Promise<Enrolment | null> {
  return parsed(await readCached(enrolmentKey));
}

function parsed(stored: unknown): Enrolment | null {
  const found = v.safeParse(enrolmentSchema, stored);
  return found.success ? found.output : null;
}

/** The keys of a phone that is not enrolled yet. */
export async function newEnrolment(companyId: string, label: string): Promise<Enrolment> {
  const signing = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, false, [
    "sign",
    "verify",
  ]);
  const pinKey = await crypto.subtle.generateKey({ name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
  ]);
  const point = await crypto.subtle.exportKey("raw", signing.publicKey);
  const publicKey = base64url(point);
  const { privateKey: signingKey } = signing;
  return { id: crypto.randomUUID(), label, companyId, publicKey, signingKey, pinKey, people: [] };
}

/** Adds a person, or replaces their PIN. Throws if the phone does not store it. */
export async function saveEnrolment(device: Enrolment, user: Identity, pin: string): Promise<void> {
  const salt = base64url(crypto.getRandomValues(new Uint8Array(16)));
  const verifier = await verifierOf(device, salt, pin);
  const person: Person = { user, salt, verifier, triesLeft: maxTries, ended: false };
  const people = [...device.people.filter((each) => each.user.id !== user.id), person];
  if (!(await writeCached(enrolmentKey, { ...device, people }))) {
    throw new Error("the phone did not store the PIN");
  }
  await deleteCached(endedKey);
}

async function verifierOf({ pinKey }: Enrolment, salt: string, pin: string): Promise<string> {
  const encoder = new TextEncoder();
  const base = await crypto.subtle.importKey("raw", encoder.encode(pin), "PBKDF2", false, [
    "deriveBits",
  ]);
  const parameters = {
    name: "PBKDF2",
    hash: "SHA-256",
    salt: encoder.encode(salt),
    iterations: rounds,
  };
  const slow = await crypto.subtle.deriveBits(parameters, base, 256);
  return base64url(await crypto.subtle.sign("HMAC", pinKey, slow));
}

/**
 * Checks a PIN. The attempt is stored first, so that closing the page does not undo it. Returns the
 * person, or the number of attempts that remain.
 */
export async function checkPin(userId: string, pin: string): Promise<Identity | number> {
  let triesLeft = 0;
  const device = await changePeople((person) => {
    if (person.user.id !== userId) return person;
    ({ triesLeft } = person);
    return { ...person, triesLeft: Math.max(0, triesLeft - 1) };
  });
  const person = device?.people.find(({ user, ended }) => user.id === userId && !ended);
  if (!device || !person || triesLeft === 0) return 0;
  if ((await verifierOf(device, person.salt, pin)) !== person.verifier) return person.triesLeft;
  await restoreTries(person.user);
  await shareMachines(device, userId);
  return person.user;
}

/** After the right PIN or a sign-in with the password, which may also have changed the name. */
export async function restoreTries(user: Identity): Promise<void> {
  await changePeople((person) =>
    person.user.id === user.id && !person.ended ? { ...person, user, triesLeft: maxTries } : person,
  );
}

export function forgetPin(userId: string): Promise<Enrolment | null> {
  return changePeople((person) => (person.user.id === userId ? null : person));
}

/** Removes the phone's keys, e.g. when the server does not know them any more. */
export const forgetEnrolment = (): Promise<void> => deleteCached(enrolmentKey);

async function changePeople(change: (person: Person) => Person | null): Promise<Enrolment | null> {
  const changed = await updateCached(enrolmentKey, (stored) => {
    const device = parsed(stored);
    const people = device?.people.flatMap((person) => change(person) ?? []) ?? [];
    return people.length > 0 ? { ...device, people } : undefined;
  });
  return parsed(changed);
}

/** The company's machines are the same for all its operators, so the newest list is used. */
async function shareMachines({ people }: Enrolment, userId: string): Promise<void> {
  const schema = v.object({ syncedAt: v.date() });
  const lists = await Promise.all(
    people.map(async ({ user }) => {
      const list = await readCached(cacheKeys.meters(user.id));
      return v.is(schema, list) ? [list] : [];
    }),
  );
  const [newest] = lists.flat().toSorted((a, b) => b.syncedAt.getTime() - a.syncedAt.getTime());
  if (newest) await writeCached(cacheKeys.meters(userId), newest);
}

/** Signs with the phone's key: ECDSA P-256 with SHA-256, r and s. */
export async function sign({ signingKey }: Enrolment, payload: string): Promise<string> {
  const bytes = new TextEncoder().encode(payload);
  return base64url(await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, signingKey, bytes));
}

const endedKey = "enrolment-ended";
const endedSchema = v.object({ names: v.array(v.string()), device: v.boolean() });

/** What a manager has removed: the phone, or people. */
export type Ended = v.InferOutput<typeof endedSchema>;

export async function readEnded(): Promise<Ended | null> {
  const found = v.safeParse(endedSchema, await readCached(endedKey));
  return found.success ? found.output : null;
}

export const dismissEnded = (): Promise<void> => deleteCached(endedKey);

/**
 * Forgets PINs and machines after a manager has removed the phone (`userId` null) or a person. The
 * keys stay until their entries on this phone are sent.
 */
export async function endEnrolment(userId: string | null): Promise<void> {
  const ended: Identity[] = [];
  await changePeople((person) => {
    if (person.ended || (userId !== null && person.user.id !== userId)) return person;
    ended.push(person.user);
    return { ...person, salt: "", verifier: "", triesLeft: 0, ended: true };
  });
  if (ended.length === 0) return;
  await deleteCached(...ended.map(({ id }) => cacheKeys.meters(id)));
  const names = ended.map(({ operatorUsername, firstName }) => firstName ?? operatorUsername ?? "");
  await writeCached(endedKey, { names, device: userId === null });
}

/** Forgets the removed people who have no other entry than the one that was sent last. */
export async function dropEnded(sentBy: string): Promise<void> {
  const counts = await countEntries().catch(() => null);
  if (!counts) return;
  const unsent = new Map(counts.map((each) => [each.userId, each.unsent]));
  await changePeople((person) => {
    const { id } = person.user;
    const left = (unsent.get(id) ?? 0) - (id === sentBy ? 1 : 0);
    return person.ended && left <= 0 ? null : person;
  });
}

function base64url(bytes: ArrayBuffer | Uint8Array): string {
  const text = String.fromCharCode(...new Uint8Array(bytes));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
