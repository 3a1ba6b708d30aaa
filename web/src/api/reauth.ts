import { useSyncExternalStore } from "react";
import { toFailure } from "./errors";
import { restVoid } from "./rest";

interface Request {
  settle: (confirmed: boolean) => void;
}

let pending: Request | null = null;
const listeners = new Set<() => void>();

function setPending(next: Request | null): void {
  pending = next;
  for (const listener of listeners) listener();
}

/** The person closed the password dialog, so the guarded call was not made. */
export class ReauthCancelled extends Error {
  constructor() {
    super("Password was not confirmed");
    this.name = "ReauthCancelled";
  }
}

function askForPassword(): Promise<boolean> {
  pending?.settle(false);
  return new Promise((resolve) => {
    setPending({
      settle: (confirmed) => {
        setPending(null);
        resolve(confirmed);
      },
    });
  });
}

/** Runs `call`; if the server wants a recent sign-in, asks for the password once and repeats it. */
export async function withReauth<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (toFailure(error).code !== "REAUTH_REQUIRED") throw error;
    if (!(await askForPassword())) throw new ReauthCancelled();
    return call();
  }
}

export function confirmPassword(password: string): Promise<void> {
  return restVoid("POST", "/api/auth/reauth", { body: { password } });
}

/** For the one dialog in the shell. */
export function usePasswordRequest(): Request | null {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => pending,
  );
}
