import type { QueryClient } from "@tanstack/react-query";
import { restVoid } from "#/api/rest";
import { saveEnrolledLanguage } from "#/device/enrolment";
import { saveIdentityLanguage } from "#/device/identity";
import type { Language } from "#/i18n";
import { identityWritten, updateUser } from "./session";
import { getSession } from "./state";

/**
 * Stores the language on this device and in the account for the next sign-in. Neither support staff
 * nor a session with the shared password has one.
 */
export async function saveLanguage(client: QueryClient, language: Language): Promise<void> {
  const { user, status } = getSession();
  if (!user || user.role === "support") return;
  const isOperator = user.role === "operator";
  if (isOperator && !user.operatorUsername) return;
  updateUser(client, (current) => ({ ...current, language }));
  if (isOperator) void storeOnDevice(user.id, language);
  if (status !== "active") return;
  const body = { language };
  await restVoid("PATCH", "/api/user/profile", { body, expectedUser: user.id });
}

async function storeOnDevice(userId: string, language: Language): Promise<void> {
  await identityWritten();
  await saveIdentityLanguage(userId, language);
  await saveEnrolledLanguage(userId, language);
}
