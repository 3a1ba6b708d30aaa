import type { User } from "#/session/session";

/** The user's sign-in name; the company's name in the shared operator session. */
export function signInNameOf(user: User): string {
  const own = user.role === "operator" ? user.operatorUsername : user.email;
  return own ?? user.businessName ?? "";
}
