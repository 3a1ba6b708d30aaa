import * as v from "valibot";
import { RestError } from "#/api/failure";
import { rest } from "#/api/rest";

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
