import { queryOptions, useQuery, type QueryClient } from "@tanstack/react-query";
import * as v from "valibot";
import {
  dropIdentity,
  dropUnfinishedLogout,
  keepIdentity,
  noteUnfinishedLogout,
  readIdentity,
  unfinishedLogout,
} from "#/device/identity";
import { forgetPerson } from "#/device/person";
import { RestError } from "#/api/failure";
import { isLate } from "./first-session";
import { settlePasswordRequest } from "./reauth";
import { rest, restVoid } from "#/api/rest";
import { setSessionEnded } from "./session-end";
import { signing } from "./session-lock";
import { announceLogout } from "./session-tabs";
import { userSchema, type User } from "./user";

export type { User } from "./user";

const sessionKey = ["session"];
/** How long the answer is kept without a component that reads it. */
export const sessionGcMs = 60_000;

/** Whoever hands the phone on must not wait for a dead line either. */
const logoutPatienceMs = 4_000;

/** How often the device notes that the server still knows the person. */
const rememberEveryMs = 10 * 60_000;

let loggingOut = false;
/** Who this page knows to be signed in, for a logout that can't reach the server. */
let current: string | null = null;
let rememberedAt = 0;
/** Once this page has known anybody or nobody, who worked here last is no answer any more. */
let told = false;
/** What the device keeps of the person: one change after the other. */
let remembered: Promise<void> = Promise.resolve();

/**
 * Who is signed in; null for a visitor. When the server no longer knows the session of somebody
 * this page does know, that person stays and is asked to sign in again, see `session-end.ts`. An
 * operator stays known to the device, so that capture goes on where the server can't be reached.
 */
export const sessionQuery = queryOptions({
  queryKey: sessionKey,
  queryFn: ({ signal, client }): Promise<User | null> =>
    judge(client, signal, rest("GET", "/api/auth/user", userSchema, { signal })),
  staleTime: 30_000,
  gcTime: sessionGcMs,
});

/** The same, when the server was asked before this code was there; null: nobody. */
export function firstSessionQuery(answer: Promise<unknown>) {
  const asked = answer.then((user) => v.parse(v.nullable(userSchema), user));
  return queryOptions({
    ...sessionQuery,
    // Without the signal: who takes it can be called off, and nothing would ask this again.
    queryFn: ({ client }): Promise<User | null> =>
      judge(client, new AbortController().signal, asked),
  });
}

async function judge(
  client: QueryClient,
  signal: AbortSignal,
  answer: Promise<User | null>,
): Promise<User | null> {
  const isKnown = knownPerson(client) !== null;
  try {
    if (!isKnown && (await isLate(answer))) {
      const last = await lastOperator();
      if (last) {
        // The answer is still worth having, whenever it comes.
        void answer.then(
          () => checkSession(client),
          () => undefined,
        );
        return last;
      }
    }
    const user = await answer;
    if (signal.aborted) return user;
    return user ? await signedIn(client, user) : await signedOut(client);
  } catch (error) {
    if (signal.aborted) throw error;
    if (error instanceof RestError && error.status === 401) return signedOut(client);
    const last = isKnown ? null : await lastOperator();
    if (last) return last;
    throw error;
  }
}

async function signedIn(client: QueryClient, user: User): Promise<User | null> {
  const known = knownPerson(client);
  if (!known && (await unfinishedLogout()) === user.id) {
    await endServerSession();
    return null;
  }
  // Somebody else signed in in another tab.
  if (known && !isSamePerson(known, user)) {
    forgetCompany(client);
    void forgetPerson(known.id);
  }
  if (current !== user.id || Date.now() - rememberedAt > rememberEveryMs) remember(user);
  setSessionEnded(false);
  return user;
}

async function signedOut(client: QueryClient): Promise<User | null> {
  const known = loggingOut ? null : (knownPerson(client) ?? (await lastUnlessLeaving()));
  setSessionEnded(known !== null);
  return known;
}

function knownPerson(client: QueryClient): User | null {
  return client.getQueryData<User | null>(sessionKey) ?? null;
}

/** The operator whose work lies on this device, for as long as this page has heard of nobody. */
async function lastOperator(): Promise<User | null> {
  const last = told ? null : await readIdentity();
  if (!last) return null;
  current = last.id;
  return {
    ...last,
    email: null,
    secondaryEmail: null,
    securityQuestionsSet: false,
    secondFactorMissing: false,
    notices: [],
  };
}

/** Where somebody has come to sign in, such as by the code on an access card. */
const signInPaths: ReadonlySet<string> = new Set([
  "/employee-login",
  "/login",
  "/signup",
  "/forgot-password",
]);

/** With the session over, a page for signing in is for whoever opened it. */
function lastUnlessLeaving(): Promise<User | null> {
  return signInPaths.has(window.location.pathname) ? Promise.resolve(null) : lastOperator();
}

function remember(user: User | null): void {
  told = true;
  current = user?.id ?? null;
  rememberedAt = Date.now();
  remembered = remembered.then(() => (user ? keepIdentity(user) : dropIdentity()));
}

export function useSession(): User | null {
  return useQuery(sessionQuery).data ?? null;
}

/** A call was refused for want of a session: the server is asked who is signed in. */
export function checkSession(client: QueryClient): void {
  void client.invalidateQueries({ queryKey: sessionKey });
}

/** Whether both are the same person with the same rights; screens of one are no other's. */
export function isSamePerson(one: User | null, other: User | null): boolean {
  return one?.id === other?.id && one?.companyId === other?.companyId && one?.role === other?.role;
}

/** Drops everything the cache holds for the person so far, except who that is. */
function forgetCompany(client: QueryClient): void {
  client.removeQueries({ predicate: (query) => query.queryKey[0] !== sessionKey[0] });
}

/**
 * Makes `user` the person signed in. All cached data goes first: nothing of one company may
 * outlive its login. What an operator entered and is not sent yet stays on the device. Resolves once
 * the device has stored who works on it.
 */
export function changeSession(client: QueryClient, user: User | null): Promise<void> {
  const known = knownPerson(client);
  if (known && !user) announceLogout(known.id);
  become(client, user);
  return remembered;
}

/** The person of this page has signed out in another tab. */
export function leftElsewhere(client: QueryClient): void {
  become(client, null);
}

function become(client: QueryClient, user: User | null): void {
  const known = knownPerson(client);
  forgetCompany(client);
  void client.cancelQueries({ queryKey: sessionKey });
  settlePasswordRequest(false);
  setSessionEnded(false);
  client.setQueryData(sessionKey, user);
  if (known && !isSamePerson(known, user)) void forgetPerson(known.id);
  remember(user);
  if (user) void dropUnfinishedLogout();
}

/** The person whose session had ended is back: their screens stay and bring themselves up to date. */
export function resumeSession(client: QueryClient, user: User): void {
  void client.cancelQueries({ queryKey: sessionKey });
  client.setQueryData(sessionKey, user);
  remember(user);
  void dropUnfinishedLogout();
  setSessionEnded(false);
  // Having just signed in, they have confirmed their password too.
  settlePasswordRequest(true);
  void client.invalidateQueries({ predicate: (query) => query.queryKey[0] !== sessionKey[0] });
}

/**
 * Both documented calls; a failure of either must not keep anyone signed in on this device. One that
 * does not reach the server is made up for before this person's session is used again.
 */
export async function endServerSession(): Promise<void> {
  const leaving = current;
  loggingOut = true;
  let reached = false;
  const patience = new AbortController();
  const { signal } = patience;
  const timer = setTimeout(() => patience.abort(), logoutPatienceMs);
  const over = new Promise<void>((resolve) =>
    signal.addEventListener("abort", () => resolve(), { once: true }),
  );
  const telling = signing(async () => {
    for (const call of [
      () => restVoid("POST", "/api/auth/logout", { signal }),
      () => restVoid("GET", "/api/logout", { signal }),
    ]) {
      // Later it could end the session of who has signed in since.
      if (signal.aborted) return;
      try {
        await call();
        reached = true;
      } catch (error) {
        reached ||= error instanceof RestError && error.status === 401;
        console.warn("Logout call failed", error);
      }
    }
  });
  try {
    await Promise.race([telling, over]);
  } finally {
    clearTimeout(timer);
    loggingOut = false;
  }
  if (reached) await dropUnfinishedLogout();
  else if (leaving !== null) await noteUnfinishedLogout(leaving);
}
