import { restVoid } from "#/api/rest";
import type { Language } from "#/i18n";
import { getSession } from "./state";

/**
 * Stores the language in the account for the next sign-in. Neither support staff nor a session with
 * the shared password has one.
 */
export async function saveLanguage(language: Language): Promise<void> {
  const { user, status } = getSession();
  if (!user || status !== "active" || user.role === "support") return;
  if (user.role === "operator" && !user.operatorUsername) return;
  const body = { language };
  await restVoid("PATCH", "/api/user/profile", { body, expectedUser: user.id });
}
