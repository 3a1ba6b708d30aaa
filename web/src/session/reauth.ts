import { toFailure } from "#/api/errors";
import { restVoid } from "#/api/rest";
import { createStore, useStore } from "#/shared/store";

interface PasswordRequest {
  answered: Promise<boolean>;
  settle: (confirmed: boolean) => void;
}

const request = createStore<PasswordRequest | null>(null);

/** The user closed the password dialog, so the call was not made. */
export class ReauthCancelled extends Error {
  constructor() {
    super("Password was not confirmed");
    this.name = "ReauthCancelled";
  }
}

/** Concurrent calls share one dialog. */
function askForPassword(): Promise<boolean> {
  const pending = request.get();
  if (pending) return pending.answered;
  let resolve: (confirmed: boolean) => void = () => undefined;
  const answered = new Promise<boolean>((done) => {
    resolve = done;
  });
  request.set({
    answered,
    settle: (confirmed) => {
      request.set(null);
      resolve(confirmed);
    },
  });
  return answered;
}

/** Closes an open dialog when the user has signed out or in again. */
export function settlePasswordRequest(confirmed: boolean): void {
  request.get()?.settle(confirmed);
}

/**
 * Runs `call`; if the server requires a recent sign-in, asks for the password once and repeats it.
 */
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
export const usePasswordRequest = (): PasswordRequest | null => useStore(request);
