import * as v from "valibot";
import { dropKept, readKept, writeKept } from "./database";
import { forgetPerson } from "./person";

const key = "identity";
const logoutKey = "unfinished-logout";

/** As long as a remembered session lasts at the server. */
const lastsMs = 30 * 24 * 60 * 60 * 1000;

const identitySchema = v.object({
  id: v.string(),
  companyId: v.nullable(v.string()),
  firstName: v.nullable(v.string()),
  lastName: v.nullable(v.string()),
  role: v.literal("operator"),
  businessName: v.nullable(v.string()),
  operatorUsername: v.nullable(v.string()),
});

const keptSchema = v.object({ identity: identitySchema, confirmedAt: v.date() });

export type Identity = v.InferOutput<typeof identitySchema>;

/**
 * Whose page a start without a connection shows: the operator who was signed in last. It proves
 * nothing to anybody; what it opens is what lies on this device, and the server asks for a session.
 */
export async function readIdentity(now = new Date()): Promise<Identity | null> {
  const kept = v.safeParse(keptSchema, await readKept(key));
  if (!kept.success) return null;
  const { identity, confirmedAt } = kept.output;
  return now.getTime() - confirmedAt.getTime() < lastsMs ? identity : null;
}

/** The server has just said so. Only operators work without a connection. */
export async function keepIdentity(user: { id: string; role: string }): Promise<void> {
  const before = v.safeParse(keptSchema, await readKept(key));
  // Nobody is shown what another person's work left here.
  if (before.success && before.output.identity.id !== user.id) {
    await forgetPerson(before.output.identity.id);
  }
  const identity = v.safeParse(identitySchema, user);
  if (identity.success) {
    await writeKept(key, { identity: identity.output, confirmedAt: new Date() });
  } else if (before.success) await dropIdentity();
}

export function dropIdentity(): Promise<void> {
  return dropKept(key);
}

/** The server could not be told that this person has signed out: their cookie is still there. */
export async function noteUnfinishedLogout(userId: string): Promise<void> {
  await writeKept(logoutKey, userId);
}

export async function unfinishedLogout(): Promise<string | null> {
  const userId = await readKept(logoutKey);
  return typeof userId === "string" ? userId : null;
}

export function dropUnfinishedLogout(): Promise<void> {
  return dropKept(logoutKey);
}
