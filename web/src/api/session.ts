import { queryOptions, useQuery, type QueryClient } from "@tanstack/react-query";
import * as v from "valibot";
import { RestError } from "./failure";
import { settlePasswordRequest } from "./reauth";
import { rest, restVoid } from "./rest";
import { setSessionEnded } from "./session-end";

export const userSchema = v.object({
  id: v.string(),
  companyId: v.nullable(v.string()),
  firstName: v.nullable(v.string()),
  lastName: v.nullable(v.string()),
  email: v.nullable(v.string()),
  secondaryEmail: v.nullable(v.string()),
  role: v.picklist(["owner", "manager", "operator", "support"]),
  businessName: v.nullable(v.string()),
  operatorUsername: v.nullable(v.string()),
  securityQuestionsSet: v.boolean(),
  notices: v.array(v.object({ id: v.string(), kind: v.string(), at: v.string() })),
});

export type User = v.InferOutput<typeof userSchema>;

const sessionKey = ["session"];
let loggingOut = false;

/**
 * Who is signed in; null for a visitor. When the server no longer knows the session of somebody
 * this page does know, that person stays and is asked to sign in again, see `session-end.ts`.
 */
export const sessionQuery = queryOptions({
  queryKey: sessionKey,
  queryFn: async ({ signal, client }): Promise<User | null> => {
    try {
      const user = await rest("GET", "/api/auth/user", userSchema, { signal });
      if (signal.aborted) return user;
      const known = client.getQueryData<User | null>(sessionKey) ?? null;
      // Somebody else signed in in another tab.
      if (known && !isSamePerson(known, user)) forgetCompany(client);
      setSessionEnded(false);
      return user;
    } catch (error) {
      if (signal.aborted || !(error instanceof RestError && error.status === 401)) throw error;
      const known = loggingOut ? null : (client.getQueryData<User | null>(sessionKey) ?? null);
      setSessionEnded(known !== null);
      return known;
    }
  },
  staleTime: 30_000,
  gcTime: 60_000,
});

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
 * outlive its login.
 */
export function changeSession(client: QueryClient, user: User | null): void {
  forgetCompany(client);
  void client.cancelQueries({ queryKey: sessionKey });
  settlePasswordRequest(false);
  setSessionEnded(false);
  client.setQueryData(sessionKey, user);
}

/** The person whose session had ended is back: their screens stay and bring themselves up to date. */
export function resumeSession(client: QueryClient, user: User): void {
  void client.cancelQueries({ queryKey: sessionKey });
  client.setQueryData(sessionKey, user);
  setSessionEnded(false);
  // Having just signed in, they have confirmed their password too.
  settlePasswordRequest(true);
  void client.invalidateQueries({ predicate: (query) => query.queryKey[0] !== sessionKey[0] });
}

/** Both documented calls; a failure of either must not keep anyone signed in on this device. */
export async function endServerSession(): Promise<void> {
  loggingOut = true;
  try {
    for (const call of [
      () => restVoid("POST", "/api/auth/logout"),
      () => restVoid("GET", "/api/logout"),
    ]) {
      try {
        await call();
      } catch (error) {
        console.warn("Logout call failed", error);
      }
    }
  } finally {
    loggingOut = false;
  }
}
