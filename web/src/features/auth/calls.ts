import { queryOptions } from "@tanstack/react-query";
import * as v from "valibot";
import { rest, restVoid } from "#/api/rest";
import { withExclusiveSessionLock } from "#/session/session-lock";
import { userSchema, type User } from "#/session/user";
import type { resetPasswordSchema, securityQuestionsSchema, signupSchema } from "./schema";

export function signUp(values: v.InferOutput<typeof signupSchema>): Promise<User> {
  const body = {
    businessName: values.businessName.trim(),
    firstName: values.firstName.trim(),
    lastName: values.lastName.trim(),
    email: values.email.trim(),
    password: values.password,
    // Service dates fall due by the company's calendar.
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
  return withExclusiveSessionLock(() => rest("POST", "/api/auth/signup", userSchema, { body }));
}

const questionPairSchema = v.object({ question1: v.string(), question2: v.string() });

/** An account in password recovery: its name and its security questions. */
export interface Recovery extends v.InferOutput<typeof questionPairSchema> {
  emailOrBusinessName: string;
}

export async function findAccount(typed: string): Promise<Recovery> {
  const emailOrBusinessName = typed.trim();
  const body = { emailOrBusinessName };
  const pair = await rest("POST", "/api/auth/forgot-password", questionPairSchema, { body });
  return { emailOrBusinessName, ...pair };
}

export function resetPassword(
  { emailOrBusinessName }: Recovery,
  values: v.InferOutput<typeof resetPasswordSchema>,
): Promise<void> {
  const { confirmPassword: _, ...body } = values;
  return restVoid("POST", "/api/auth/reset-password", { body: { emailOrBusinessName, ...body } });
}

/** The same answer whether or not there is such an account. */
export function mailRecoveryLink(typed: string): Promise<void> {
  const body = { emailOrBusinessName: typed.trim() };
  return restVoid("POST", "/api/auth/recovery-link", { body });
}

export function setNewPassword(secret: string, newPassword: string): Promise<void> {
  return restVoid("POST", "/api/auth/new-password", { body: { secret, newPassword } });
}

export const securityQuestionListQuery = queryOptions({
  queryKey: ["security-questions"],
  queryFn: ({ signal }) =>
    rest("GET", "/api/auth/security-questions", v.array(v.string()), { signal }),
});

export function saveSecurityQuestions(
  values: v.InferOutput<typeof securityQuestionsSchema>,
): Promise<User> {
  return rest("POST", "/api/auth/setup-security-questions", userSchema, { body: values });
}
