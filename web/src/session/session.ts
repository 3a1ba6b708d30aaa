import { queryOptions, useQuery, type Query, type QueryClient } from "@tanstack/react-query";
import * as v from "valibot";
import {
  deleteIdentity,
  deleteUnfinishedLogout,
  saveIdentity,
  saveUnfinishedLogout,
  isLogoutUnfinished,
  markForeignSession,
  readIdentity,
} from "#/device/identity";
import { isEnrolled } from "#/device/enrolled";
import { forgetPerson } from "#/device/person";
import { changeLanguage } from "#/i18n";
import { RestError } from "#/api/failure";
import { restVoid } from "#/api/rest";
import { isLate, requestSession } from "./first-session";
import { withExclusiveSessionLock } from "./session-lock";
import { dispatch, getSession, type SessionEvent } from "./state";
import { userOf, userSchema, type User } from "./user";

export type { User } from "./user";

const sessionKey = ["session"];
/** How long the response is cached without an observer. */
export const sessionGcMs = 60_000;

/** A logout on a shared phone ends the session in all tabs. */
const otherTabs =
  typeof BroadcastChannel === "undefined" ? null : new BroadcastChannel("hourmeter-session");

/** A logout on a shared phone must not wait for a dead connection. */
const logoutTimeoutMs = 4_000;

const logoutCalls = [
  ["POST", "/api/auth/logout"],
  ["GET", "/api/logout"],
] as const;

/**
 * The signed-in user; null for a visitor. If the session of this page's user has ended, the user
 * stays and is asked to sign in again. A stored operator is used while the server can't be reached,
 * so that capture continues offline.
 */
export const sessionQuery = queryOptions({
  queryKey: sessionKey,
  queryFn: ({ signal, client }): Promise<User | null> =>
    resolveSession(client, requestSession({ signal }), signal),
  staleTime: 30_000,
  gcTime: sessionGcMs,
});

/** `sessionQuery` with a response that was requested before this code was loaded. */
export function firstSessionQuery(response: Promise<unknown>) {
  return queryOptions({
    ...sessionQuery,
    // Without the signal: an observer may cancel the query, and the request would not be repeated.
    queryFn: ({ client }): Promise<User | null> => resolveSession(client, response),
  });
}

async function resolveSession(
  client: QueryClient,
  response: Promise<unknown>,
  signal?: AbortSignal,
): Promise<User | null> {
  const answer = response.then((user) => v.parse(v.nullable(userSchema), user));
  if (!getSession().user && (await isLate(answer)) && (await showLastOperator("unreachable"))) {
    // A late response is still used.
    answer.then(() => checkSession(client)).catch(() => undefined);
    return getSession().user;
  }
  try {
    const user = await answer;
    const { user: shown, status } = getSession();
    const byPin = status === "pin";
    const isUnfinished =
      user &&
      ((byPin && user.id !== shown?.id) ||
        ((byPin || !shown) && (await isLogoutUnfinished(user.id))));
    const isRefused = isUnfinished || !user;
    const isSignIn = signInPaths.has(window.location.pathname);
    if (signal?.aborted) return user;
    if (!user) void deleteUnfinishedLogout();
    else if (isUnfinished && (await callLogout())) await deleteUnfinishedLogout();
    if (isRefused) {
      if (isSignIn || !(await showLastOperator("refused")))
        dispatch({ type: "refused", user: null });
    } else {
      apply(client, { type: "answered", user });
      void storeIdentity(user);
    }
    return getSession().user;
  } catch (error) {
    if (!signal?.aborted && (await showLastOperator("unreachable"))) return getSession().user;
    if (!getSession().user && (await opensWithoutServer(error))) return null;
    throw error;
  }
}

/**
 * Whether a visitor's page is shown without the server: a page for signing in, the home page without
 * signal, which leads there, or any on an enrolled phone.
 */
async function opensWithoutServer(error: unknown): Promise<boolean> {
  const { pathname } = window.location;
  const isHome = pathname === "/" && !navigator.onLine;
  const leadsToSignIn = isHome || signInPaths.has(pathname) || operatorPaths.has(pathname);
  if (leadsToSignIn && !(error instanceof RestError)) return true;
  return isEnrolled();
}

/** Shows the operator who was signed in last on this device, unless this page knows its user. */
async function showLastOperator(type: "refused" | "unreachable"): Promise<boolean> {
  const { user: shown, status } = getSession();
  const last = shown || status !== "unconfirmed" ? null : await readIdentity();
  if (!last) return false;
  dispatch({ type: last.byPin ? "enteredByPin" : type, user: userOf(last.identity) });
  return true;
}

/** Pages for signing in, which must not show the last operator. */
const signInPaths = new Set(["/employee-login", "/login", "/signup", "/forgot-password"]);
/** They show visitors the sign-in page. */
const operatorPaths = new Set(["/operator", "/simple-operator"]);

/** Writes run one after the other. */
let identityStored: Promise<void> = Promise.resolve();

function storeIdentity(user: User | null, byPin = false): Promise<void> {
  identityStored = identityStored.then(() => (user ? saveIdentity(user, byPin) : deleteIdentity()));
  return identityStored;
}

/** Resolves when the device has stored the last change of the identity. */
export const identityWritten = (): Promise<void> => identityStored;

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

const companyData = { predicate: ({ queryKey }: Query) => queryKey[0] !== sessionKey[0] };

/** Applies an event and removes the data of a user who is replaced, also from another tab. */
function apply(client: QueryClient, event: SessionEvent): void {
  const { user } = getSession();
  dispatch(event);
  if (!user || isSamePerson(user, getSession().user)) return;
  client.removeQueries(companyData);
  void forgetPerson(user.id);
}

/** Applies an event before any response that is still expected, and publishes the user. */
function publish(client: QueryClient, event: SessionEvent): void {
  void client.cancelQueries({ queryKey: sessionKey });
  apply(client, event);
  client.setQueryData(sessionKey, getSession().user);
}

/** Applies a change of the user's own data without another request. */
export function updateUser(client: QueryClient, change: (user: User) => User): void {
  const { user } = getSession();
  if (user) publish(client, { type: "updated", user: change(user) });
}

/**
 * Signs `user` in. All cached data are removed first: no data of a company may outlive its session.
 * Unsent entries stay on the device. Resolves when the device has stored the identity.
 */
export function changeSession(client: QueryClient, user: User | null): Promise<void> {
  const { user: previous } = getSession();
  if (previous && !user) otherTabs?.postMessage(previous.id);
  return replaceSession(client, user);
}

/** Signs this page's user out after a logout in another tab. Returns a function that removes the listener. */
export function onLogoutElsewhere(client: QueryClient, onLeft: () => void): () => void {
  const listener = ({ data }: MessageEvent<unknown>) => {
    if (data !== getSession().user?.id) return;
    void replaceSession(client, null);
    onLeft();
  };
  otherTabs?.addEventListener("message", listener);
  return () => otherTabs?.removeEventListener("message", listener);
}

/**
 * Signs an operator in whose PIN is right, without the server: the page works as after the end of a
 * session.
 */
export async function enterByPin(client: QueryClient, user: User): Promise<void> {
  client.removeQueries(companyData);
  publish(client, { type: "enteredByPin", user });
  applyLanguage(user);
  const stored = Promise.all([markForeignSession(user.id), storeIdentity(user, true)]);
  // The cookie may be that of another user.
  checkSession(client);
  await stored;
}

function replaceSession(client: QueryClient, user: User | null): Promise<void> {
  client.removeQueries(companyData);
  publish(client, { type: "replaced", user });
  if (user) void deleteUnfinishedLogout();
  applyLanguage(user);
  return storeIdentity(user);
}

/** The user's language replaces that of this device. Offline its texts may be missing. */
function applyLanguage(user: User | null): void {
  if (user?.language) changeLanguage(user.language).catch(() => undefined);
}

/** Continues after the same user has signed in again: the screens stay and refetch their data. */
export function resumeSession(client: QueryClient, user: User): void {
  publish(client, { type: "answered", user });
  // A new sign-in also confirms the password.
  dispatch({ type: "passwordSettled", confirmed: true });
  void storeIdentity(user);
  void deleteUnfinishedLogout();
  void client.invalidateQueries(companyData);
}

/**
 * Ends the session on the server, which may not be reached: this device forgets the user in any
 * case, and repeats the logout before the session of the cookie is used again. Returns whether the
 * server has answered.
 */
export async function endServerSession(): Promise<boolean> {
  const { user, status } = getSession();
  dispatch({ type: "leaving", leaving: true });
  // The page may be closed before the calls time out.
  void storeIdentity(null);
  // A user by PIN has no session, so the cookie is that of anyone.
  if (user) await saveUnfinishedLogout(status === "pin" ? null : user.id);
  const isReached = await callLogout();
  dispatch({ type: "leaving", leaving: false });
  if (isReached) await deleteUnfinishedLogout();
  return isReached;
}

/** Calls both logout endpoints; returns whether the server has answered. */
async function callLogout(): Promise<boolean> {
  const timeout = new AbortController();
  const { signal } = timeout;
  let isReached = false;
  const calls = withExclusiveSessionLock(async () => {
    for (const [method, path] of logoutCalls) {
      // A later call could end the session of the next user.
      if (signal.aborted) return;
      try {
        await restVoid(method, path, { signal });
        isReached = true;
      } catch (error) {
        isReached ||= error instanceof RestError && error.status === 401;
        console.warn("Logout call failed", error);
      }
    }
  });
  if (await isLate(calls, logoutTimeoutMs)) timeout.abort();
  return isReached;
}
