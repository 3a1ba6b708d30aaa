import { toFailure } from "#/api/errors";
import { restVoid } from "#/api/rest";
import { dispatch, getSession, onSessionChanged } from "./state";

/** The user closed the password dialog, so the call was not made. */
export class ReauthCancelled extends Error {
  constructor() {
    super("Password was not confirmed");
    this.name = "ReauthCancelled";
  }
}

/** Concurrent calls share one dialog. */
function askForPassword(): Promise<boolean> {
  dispatch({ type: "passwordAsked" });
  return new Promise((resolve) => {
    const stop = onSessionChanged(() => {
      const { password } = getSession();
      if (password === "asked") return;
      stop();
      resolve(password === "confirmed");
    });
  });
}

/** Closes the password dialog. */
export const settlePasswordRequest = (confirmed: boolean): void =>
  dispatch({ type: "passwordSettled", confirmed });

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
