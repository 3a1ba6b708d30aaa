import * as v from "valibot";
import { languages, type Language } from "#/i18n/languages";
import { deleteCached, readCached, updateCached, writeCached } from "./database";
import { forgetPerson } from "./person";

const key = "identity";
const logoutKey = "unfinished-logout";

/** Equals the lifetime of a remembered session on the server. */
const lifetimeMs = 30 * 24 * 60 * 60 * 1000;

export const identitySchema = v.object({
  id: v.string(),
  companyId: v.nullable(v.string()),
  firstName: v.nullable(v.string()),
  lastName: v.nullable(v.string()),
  role: v.literal("operator"),
  businessName: v.nullable(v.string()),
  operatorUsername: v.nullable(v.string()),
  fuelUnit: v.optional(v.nullable(v.picklist(["gallons", "litres"])), null),
  language: v.optional(v.nullable(v.picklist(languages))),
});

const cachedSchema = v.object({
  identity: identitySchema,
  confirmedAt: v.date(),
  /** Signed in by PIN, without a session. */
  byPin: v.optional(v.boolean(), false),
});

export type Identity = v.InferOutput<typeof identitySchema>;

export interface LastOperator {
  identity: Identity;
  byPin: boolean;
}

/**
 * The operator who was signed in last, whose page opens without a connection. It proves nothing:
 * the page shows only data of this device, and the server requires a session.
 */
export async function readIdentity(now = new Date()): Promise<LastOperator | null> {
  const stored = v.safeParse(cachedSchema, await readCached(key));
  if (!stored.success) return null;
  const { confirmedAt, ...last } = stored.output;
  return now.getTime() - confirmedAt.getTime() < lifetimeMs ? last : null;
}

/**
 * Stores the user that the server or a PIN has confirmed. Only operators work without a connection.
 */
export async function saveIdentity(
  user: { id: string; role: string },
  byPin = false,
): Promise<void> {
  const previous = v.safeParse(cachedSchema, await readCached(key));
  // Another user's data must not be shown.
  if (previous.success && previous.output.identity.id !== user.id) {
    await forgetPerson(previous.output.identity.id);
  }
  const identity = v.safeParse(identitySchema, user);
  if (identity.success) {
    await writeCached(key, { identity: identity.output, confirmedAt: new Date(), byPin });
  } else if (previous.success) await deleteIdentity();
}

/** Changes the language of the stored operator, if it is this user. */
export async function saveIdentityLanguage(userId: string, language: Language): Promise<void> {
  await updateCached(key, (stored) => {
    const found = v.safeParse(cachedSchema, stored);
    if (!found.success || found.output.identity.id !== userId) return stored;
    return { ...found.output, identity: { ...found.output.identity, language } };
  });
}

export function deleteIdentity(): Promise<void> {
  return deleteCached(key);
}

/** Before a user's id: the sessions of all others have to end. */
const except = "!";

/**
 * The logout did not reach the server: the session cookie is still valid. `null`: the cookie of
 * any user.
 */
export async function saveUnfinishedLogout(userId: string | null): Promise<void> {
  await writeCached(logoutKey, userId ?? except);
}

/** A user without a session works on this phone: the cookie may be that of someone else. */
export async function markForeignSession(userId: string): Promise<void> {
  const own = except + userId;
  await updateCached(logoutKey, (mark) => {
    if (typeof mark !== "string") return own;
    return mark.startsWith(except) && mark !== own ? except : mark;
  });
}

/** Whether the user's session has to end before its cookie is used. */
export async function isLogoutUnfinished(userId: string): Promise<boolean> {
  const mark = await readCached(logoutKey);
  if (typeof mark !== "string") return false;
  return mark.startsWith(except) ? mark !== except + userId : mark === userId;
}

export function deleteUnfinishedLogout(): Promise<void> {
  return deleteCached(logoutKey);
}
