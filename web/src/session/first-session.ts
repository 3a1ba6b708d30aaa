import * as v from "valibot";
import { RestError } from "#/api/failure";
import { rest } from "#/api/rest";

/** A person in the field must not wait longer for a line that may be dead. */
const startPatienceMs = 3_000;

/**
 * Asks who is signed in while the application's code is still on its way, null for nobody. The
 * answer is unchecked; `sessionQuery` has the rules for it, and code that a landing page can spare.
 */
export async function askWhoIsThere(): Promise<unknown> {
  try {
    return await rest("GET", "/api/auth/user", v.unknown());
  } catch (error) {
    if (error instanceof RestError && error.status === 401) return null;
    throw error;
  }
}

/** Whether nothing has come of it after some seconds. */
export async function isLate(answer: Promise<unknown>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<true>((resolve) => {
    timer = setTimeout(() => resolve(true), startPatienceMs);
  });
  const came = answer.then(
    () => false,
    () => false,
  );
  return Promise.race([came, late]).finally(() => clearTimeout(timer));
}
