import * as v from "valibot";
import { RestError } from "#/api/failure";
import { rest, type RestOptions } from "#/api/rest";

/** In the field the connection may be dead, so the wait is short. */
const startTimeoutMs = 3_000;

/**
 * Requests the signed-in user while the application's code loads; null for a visitor.
 * `sessionQuery` validates the response, so that the landing page does not load that code.
 */
export async function requestSession(
  options?: Pick<RestOptions, "anonymous" | "signal">,
): Promise<unknown> {
  try {
    return await rest("GET", "/api/auth/user", v.unknown(), options);
  } catch (error) {
    if (error instanceof RestError && error.status === 401) return null;
    throw error;
  }
}

/** Whether there is no response within a few seconds. */
export function isLate(answer: Promise<unknown>, timeoutMs = startTimeoutMs): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(true), timeoutMs);
    const inTime = () => {
      clearTimeout(timer);
      resolve(false);
    };
    answer.then(inTime, inTime);
  });
}
