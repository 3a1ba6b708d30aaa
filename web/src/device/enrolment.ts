import * as v from "valibot";
import type { Language } from "#/i18n/languages";
import { deleteCached, readCached, updateCached, writeCached } from "./database";
import { enrolmentKey } from "./enrolled";
import { countEntries, reportChange } from "./entries";
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
  /** The server does not accept the phone's key for this person. */
  refused: v.optional(v.boolean(), false),
  /** The phone's earlier key, which signs the entries that are left. */
  former: v.optional(v.object({ id: v.string(), signingKey: cryptoKey })),
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
  const person: Person = {
    user,
    salt,
    verifier,
    triesLeft: maxTries,
    ended: false,
    refused: false,
  };
  const people = [...device.people.filter((each) => each.user.id !== user.id), person];
  if (!(await writeCached(enrolmentKey, { ...device, people }))) {
    throw new Error("the phone did not store the PIN");
  }
  await deleteCached(endedKey);
  reportChange();
}

/**
 * The people of an earlier enrolment, who keep its key until their entries are sent. Their PINs and
 * machines are forgotten.
 */
export function formerPeople({ id, signingKey, people }: Enrolment): Person[] {
  return people.map((person) => ({
    ...withoutPin(person),
    former: person.former ?? { id, signingKey },
  }));
}

const withoutPin = (person: Person): Person => ({
  ...person,
  salt: "",
  verifier: "",
  triesLeft: 0,
  ended: true,
});

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
 * person, or the number of attempts that remain. `removed`: the person has no PIN on this phone any
 * more. `unstored`: the phone did not store the attempt, so nothing was checked.
 */
export async function checkPin(
  userId: string,
  pin: string,
): Promise<Identity | number | "removed" | "unstored"> {
  const before: Array<Person | undefined> = [];
  const changed = await updateCached(enrolmentKey, (stored) => {
    const device = parsed(stored);
    const found = device?.people.find(({ user, ended }) => user.id === userId && !ended);
    before.push(found);
    if (!device || !found) return stored;
    const person = { ...found, triesLeft: Math.max(0, found.triesLeft - 1) };
    return { ...device, people: device.people.map((each) => (each === found ? person : each)) };
  });
  const device = parsed(changed);
  const [person] = before;
  if (before.length > 0 && !person) return "removed";
  if (!device || !person) return "unstored";
  const { triesLeft } = person;
  if (triesLeft === 0) return 0;
  if ((await verifierOf(device, person.salt, pin)) !== person.verifier) return triesLeft - 1;
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

/** Changes the language that the person's next sign-in by PIN uses. */
export async function saveEnrolledLanguage(userId: string, language: Language): Promise<void> {
  await changePeople((person) =>
    person.user.id === userId ? { ...person, user: { ...person.user, language } } : person,
  );
}

export async function forgetPin(userId: string): Promise<void> {
  await changePeople((person) => (person.user.id === userId ? null : person));
  reportChange();
}

async function changePeople(change: (person: Person) => Person | null): Promise<void> {
  await updateCached(enrolmentKey, (stored) => {
    const device = parsed(stored);
    const people = device?.people.flatMap((person) => change(person) ?? []) ?? [];
    return people.length > 0 ? { ...device, people } : undefined;
  });
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
export async function sign(
  { signingKey }: Pick<Enrolment, "signingKey">,
  payload: string,
): Promise<string> {
  const bytes = new TextEncoder().encode(payload);
  return base64url(await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, signingKey, bytes));
}

const endedKey = "enrolment-ended";
const endedSchema = v.object({
  names: v.array(v.string()),
  why: v.picklist(["device", "person", "refused"]),
});

/**
 * Whose PINs the server has ended. A manager has removed the phone or the person, or the server does
 * not accept the phone for them.
 */
export type Ended = v.InferOutput<typeof endedSchema>;

export async function readEnded(): Promise<Ended | null> {
  const found = v.safeParse(endedSchema, await readCached(endedKey));
  return found.success ? found.output : null;
}

export const dismissEnded = (): Promise<void> => deleteCached(endedKey);

const pinListeners = new Set<(userIds: readonly string[]) => void>();

/** Registers a listener for people whose PIN the server has ended. Returns a function that removes it. */
export function onPinEnded(listener: (userIds: readonly string[]) => void): () => void {
  pinListeners.add(listener);
  return () => pinListeners.delete(listener);
}

/**
 * Forgets PINs and machines of users, unless they have chosen a PIN since `device` was read. The
 * keys stay until their entries on this phone are sent.
 */
export async function endEnrolment(
  device: Enrolment,
  userIds: readonly string[],
  why: Ended["why"],
): Promise<void> {
  const meant = new Map(
    device.people.flatMap(({ user, salt }) => (userIds.includes(user.id) ? [[user.id, salt]] : [])),
  );
  const refused = why === "refused";
  const ended: Identity[] = [];
  await changePeople((person) => {
    if (meant.get(person.user.id) !== person.salt || (person.ended && !refused)) return person;
    if (!person.ended) ended.push(person.user);
    return { ...withoutPin(person), refused };
  });
  if (ended.length > 0) {
    const names = ended.map(
      ({ operatorUsername, firstName }) => firstName ?? operatorUsername ?? "",
    );
    // Before the listeners, which may close the page.
    await writeCached(endedKey, { names, why });
  }
  reportChange();
  if (ended.length === 0) return;
  for (const listener of pinListeners) listener(ended.map(({ id }) => id));
  await deleteCached(...ended.map(({ id }) => cacheKeys.meters(id)));
}

/** Forgets the removed people who have no entry on this phone. */
export async function dropEnded(): Promise<void> {
  const counts = await countEntries().catch(() => null);
  if (!counts) return;
  const senders = new Set(counts.flatMap(({ userId, unsent }) => (unsent > 0 ? userId : [])));
  await changePeople((person) => (person.ended && !senders.has(person.user.id) ? null : person));
  reportChange();
}

function base64url(bytes: ArrayBuffer | Uint8Array): string {
  const text = String.fromCharCode(...new Uint8Array(bytes));
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
