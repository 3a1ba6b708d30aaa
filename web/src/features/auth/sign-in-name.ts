import type { User } from "#/session/session";

/** The name a person signs in with; in the shared operator session that is the company's. */
export function signInNameOf(user: User): string {
  const own = user.role === "operator" ? user.operatorUsername : user.email;
  return own ?? user.businessName ?? "";
}
