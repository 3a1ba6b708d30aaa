import { setOwnCookie } from "#/api/cookies";
import { createStore, useStore } from "#/shared/store";
import type { User } from "./user";

export interface Session {
  /** Null for a visitor. The session query has the same user for components and loaders. */
  user: User | null;
  /**
   * `unconfirmed`: no user from the server yet, so the last operator of this device may be shown.
   * `ended`: the user has to sign in again. The page keeps typed values until it is clear who signs
   * in; operators keep working and can sign in later.
   * `left`: after a logout the last operator is not shown again.
   * `pin`: as `ended`, for an operator who has signed in by PIN without the server.
   */
  status: "unconfirmed" | "active" | "ended" | "left" | "pin";
  /** A logout is running, so the end of the session is expected. */
  leaving: boolean;
  /** Whether the sign-in is open on a page that stays usable without it. */
  signInOpen: boolean;
  /** The password dialog for calls that require a recent sign-in. */
  password: "none" | "asked" | "confirmed";
}

export type SessionEvent =
  | { type: "started" }
  /** The server has confirmed the user. */
  | { type: "answered"; user: User }
  /** The server has no session; `user` is the last operator. */
  | { type: "refused"; user: User | null }
  /** Without the server, `user` is the last operator. */
  | { type: "unreachable" | "updated"; user: User }
  /** A sign-in by PIN, also before this page was opened. */
  | { type: "enteredByPin"; user: User }
  /** A sign-in, or with null a logout here or in another tab. */
  | { type: "replaced"; user: User | null }
  | { type: "leaving"; leaving: boolean }
  | { type: "signInShown"; open: boolean }
  | { type: "passwordAsked" }
  | { type: "passwordSettled"; confirmed: boolean };

export const newSession: Session = {
  user: null,
  status: "unconfirmed",
  leaving: false,
  signInOpen: false,
  password: "none",
};

export function reduceSession(session: Session, event: SessionEvent): Session {
  switch (event.type) {
    case "started":
      return newSession;
    case "answered":
      return { ...session, user: event.user, status: "active", signInOpen: false };
    case "refused": {
      // The logout replaces the user and removes their data.
      if (session.leaving) return session;
      const user = session.user ?? event.user;
      if (session.status === "pin") return session;
      return user ? { ...session, user, status: "ended" } : session;
    }
    case "unreachable":
    case "updated":
      return { ...session, user: event.user };
    case "enteredByPin":
      return { ...newSession, user: event.user, status: "pin" };
    case "replaced":
      return { ...newSession, user: event.user, status: event.user ? "active" : "left" };
    case "leaving":
      return { ...session, leaving: event.leaving };
    case "signInShown":
      return { ...session, signInOpen: event.open };
    case "passwordAsked":
      return { ...session, password: "asked" };
    case "passwordSettled":
      return { ...session, password: event.confirmed ? "confirmed" : "none" };
  }
}

const store = createStore(newSession);

export const { get: getSession, subscribe: onSessionChanged } = store;

export function dispatch(event: SessionEvent): void {
  const next = reduceSession(store.get(), event);
  setOwnCookie(next.status !== "pin");
  store.set(next);
}

export const useSessionState = <Value>(select: (session: Session) => Value): Value =>
  useStore({ get: () => select(getSession()), subscribe: onSessionChanged });

/** Whether the user of this page has to sign in again. */
export const useSessionEnded = () =>
  useSessionState(({ status }) => status === "ended" || status === "pin");

export const usePasswordRequest = () => useSessionState(({ password }) => password === "asked");
