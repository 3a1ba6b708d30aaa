import { queryOptions, useQuery, type QueryClient } from "@tanstack/react-query";
import * as v from "valibot";
import {
  deleteIdentity,
  deleteUnfinishedLogout,
  saveIdentity,
  saveUnfinishedLogout,
  readIdentity,
  readUnfinishedLogout,
} from "#/device/identity";
import { forgetPerson } from "#/device/person";
import { RestError } from "#/api/failure";
import { isLate } from "./first-session";
import { settlePasswordRequest } from "./reauth";
import { rest, restVoid } from "#/api/rest";
import { setSessionEnded } from "./session-end";
import { withExclusiveSessionLock } from "./session-lock";
import { announceLogout } from "./session-tabs";
import { userSchema, type User } from "./user";

export type { User } from "./user";

const sessionKey = ["session"];
/** How long the response is cached without an observer. */
export const sessionGcMs = 60_000;

/** A logout on a shared phone must not wait for a dead connection. */
const logoutTimeoutMs = 4_000;

/** The minimum interval between updates of the stored identity. */
const saveEveryMs = 10 * 60_000;

let loggingOut = false;
/** The user whose logout is stored if it can't reach the server. */
let currentUserId: string | null = null;
let savedAt = 0;
/** Set once the session or its absence is known; the stored identity is not used afterwards. */
let isSessionKnown = false;
/** Writes of the stored identity, one after the other. */
let identitySaved: Promise<void> = Promise.resolve();

/**
 * The signed-in user; null for a visitor. If the session of this page's user has ended, the user
 * stays and is asked to sign in again, see `session-end.ts`. A stored operator is used while the
 * server can't be reached, so that capture continues offline.
 */
export const sessionQuery = queryOptions({
  queryKey: sessionKey,
  queryFn: ({ signal, client }): Promise<User | null> =>
    resolveSession(client, signal, rest("GET", "/api/auth/user", userSchema, { signal })),
  staleTime: 30_000,
  gcTime: sessionGcMs,
});

/** `sessionQuery` with a response that was requested before this code was loaded. */
export function firstSessionQuery(answer: Promise<unknown>) {
  const asked = answer.then((user) => v.parse(v.nullable(userSchema), user));
  return queryOptions({
    ...sessionQuery,
    // Without the signal: an observer may cancel the query, and the request would not be repeated.
    queryFn: ({ client }): Promise<User | null> =>
      resolveSession(client, new AbortController().signal, asked),
  });
}

async function resolveSession(
  client: QueryClient,
  signal: AbortSignal,
  answer: Promise<User | null>,
): Promise<User | null> {
  const isKnown = cachedUser(client) !== null;
  try {
    if (!isKnown && (await isLate(answer))) {
      const last = await lastOperator();
      if (last) {
        // A late response is still used.
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
  const previous = cachedUser(client);
  if (!previous && (await readUnfinishedLogout()) === user.id) {
    await endServerSession();
    return null;
  }
  // Another user has signed in in another tab.
  if (previous && !isSamePerson(previous, user)) {
    forgetCompany(client);
    void forgetPerson(previous.id);
  }
  if (currentUserId !== user.id || Date.now() - savedAt > saveEveryMs) setCurrentUser(user);
  setSessionEnded(false);
  return user;
}

async function signedOut(client: QueryClient): Promise<User | null> {
  const user = loggingOut ? null : (cachedUser(client) ?? (await lastOperatorToShow()));
  setSessionEnded(user !== null);
  return user;
}

function cachedUser(client: QueryClient): User | null {
  return client.getQueryData<User | null>(sessionKey) ?? null;
}

/**
 * The operator who was signed in last on this device, unless this page already knows the session.
 */
async function lastOperator(): Promise<User | null> {
  const last = isSessionKnown ? null : await readIdentity();
  if (!last) return null;
  currentUserId = last.id;
  return {
    ...last,
    email: null,
    secondaryEmail: null,
    securityQuestionsSet: false,
    secondFactorMissing: false,
    notices: [],
  };
}

/** Pages for signing in, e.g. with the code of an access card. */
const signInPaths: ReadonlySet<string> = new Set([
  "/employee-login",
  "/login",
  "/signup",
  "/forgot-password",
]);

/** The sign-in pages must not show the last operator. */
function lastOperatorToShow(): Promise<User | null> {
  return signInPaths.has(window.location.pathname) ? Promise.resolve(null) : lastOperator();
}

function setCurrentUser(user: User | null): void {
  isSessionKnown = true;
  currentUserId = user?.id ?? null;
  savedAt = Date.now();
  identitySaved = identitySaved.then(() => (user ? saveIdentity(user) : deleteIdentity()));
}

export function useSession(): User | null {
  return useQuery(sessionQuery).data ?? null;
}

/** Refetches the session after a call was refused. */
export function checkSession(client: QueryClient): void {
  void client.invalidateQueries({ queryKey: sessionKey });
}

/** Whether both are the same user with the same rights; otherwise the screens must be replaced. */
export function isSamePerson(one: User | null, other: User | null): boolean {
  return one?.id === other?.id && one?.companyId === other?.companyId && one?.role === other?.role;
}

/** Removes all cached data except the session. */
function forgetCompany(client: QueryClient): void {
  client.removeQueries({ predicate: (query) => query.queryKey[0] !== sessionKey[0] });
}

/**
 * Signs `user` in. All cached data are removed first: no data of a company may outlive its session.
 * Unsent entries stay on the device. Resolves when the device has stored the identity.
 */
export function changeSession(client: QueryClient, user: User | null): Promise<void> {
  const previous = cachedUser(client);
  if (previous && !user) announceLogout(previous.id);
  replaceSession(client, user);
  return identitySaved;
}

/** Signs the user of this page out after a logout in another tab. */
export function signOutElsewhere(client: QueryClient): void {
  replaceSession(client, null);
}

function replaceSession(client: QueryClient, user: User | null): void {
  const previous = cachedUser(client);
  forgetCompany(client);
  void client.cancelQueries({ queryKey: sessionKey });
  settlePasswordRequest(false);
  setSessionEnded(false);
  client.setQueryData(sessionKey, user);
  if (previous && !isSamePerson(previous, user)) void forgetPerson(previous.id);
  setCurrentUser(user);
  if (user) void deleteUnfinishedLogout();
}

/** Continues after the same user has signed in again: the screens stay and refetch their data. */
export function resumeSession(client: QueryClient, user: User): void {
  void client.cancelQueries({ queryKey: sessionKey });
  client.setQueryData(sessionKey, user);
  setCurrentUser(user);
  void deleteUnfinishedLogout();
  setSessionEnded(false);
  // A new sign-in also confirms the password.
  settlePasswordRequest(true);
  void client.invalidateQueries({ predicate: (query) => query.queryKey[0] !== sessionKey[0] });
}

/**
 * Calls both logout endpoints. A failure does not keep the user signed in on this device; a logout
 * that does not reach the server is repeated before this user's session is used again.
 */
export async function endServerSession(): Promise<void> {
  const userId = currentUserId;
  loggingOut = true;
  let reached = false;
  const timeout = new AbortController();
  const { signal } = timeout;
  const timer = setTimeout(() => timeout.abort(), logoutTimeoutMs);
  const timedOut = new Promise<void>((resolve) =>
    signal.addEventListener("abort", () => resolve(), { once: true }),
  );
  const requests = withExclusiveSessionLock(async () => {
    for (const call of [
      () => restVoid("POST", "/api/auth/logout", { signal }),
      () => restVoid("GET", "/api/logout", { signal }),
    ]) {
      // A later call could end the session of the next user.
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
    await Promise.race([requests, timedOut]);
  } finally {
    clearTimeout(timer);
    loggingOut = false;
  }
  if (reached) await deleteUnfinishedLogout();
  else if (userId !== null) await saveUnfinishedLogout(userId);
}
