import { queryOptions } from "@tanstack/react-query";
import * as v from "valibot";
import { rest, restVoid } from "#/api/rest";
import { userSchema, type User } from "#/session/session";
import { signing } from "#/session/session-lock";
import type { PasskeyAnswer } from "#/shared/passkeys";
import { sentFactor, type AskedFactor, type FactorValues } from "./factor";
import type { resetPasswordSchema, securityQuestionsSchema, signupSchema } from "./schema";

// No name begins or ends with a space, but phones add one after a word they complete.

interface Login extends FactorValues {
  password: string;
  rememberMe: boolean;
}

export async function loginOwner(
  { totp, recoveryCode, ...values }: Login & { emailOrBusinessName: string },
  asked: AskedFactor | null,
): Promise<User> {
  const name = values.emailOrBusinessName.trim();
  const factor = await givenFactor(name, values.password, asked, { totp, recoveryCode });
  const body = { ...values, emailOrBusinessName: name, ...factor };
  return signing(() => rest("POST", "/api/auth/login", userSchema, { body }));
}

export async function loginOperator(
  { totp, recoveryCode, ...values }: Login & { operatorName: string },
  asked: AskedFactor | null,
) {
  const schema = v.object({ redirect: v.string(), user: userSchema });
  const name = values.operatorName.trim();
  const factor = await givenFactor(name, values.password, asked, { totp, recoveryCode });
  const body = { ...values, operatorName: name, ...factor };
  return signing(() => rest("POST", "/api/employee/login", schema, { body }));
}

type GivenFactor = Partial<FactorValues> & { passkey?: PasskeyAnswer };

async function givenFactor(
  emailOrBusinessName: string,
  password: string,
  asked: AskedFactor | null,
  values: FactorValues,
): Promise<GivenFactor> {
  if (asked?.chosen !== "passkey") return sentFactor(asked, values);
  // Few people have one, so few load what asks for it.
  const { askPasskey, passkeyRequestSchema } = await import("#/shared/passkeys");
  const body = { emailOrBusinessName, password };
  const request = await rest("POST", "/api/auth/passkey-options", passkeyRequestSchema, { body });
  return { passkey: await askPasskey(request) };
}

export function signUp(values: v.InferOutput<typeof signupSchema>): Promise<User> {
  const body = {
    businessName: values.businessName.trim(),
    email: values.email.trim(),
    password: values.password,
    // Maintenance dates fall due by the company's calendar.
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
  return signing(() => rest("POST", "/api/auth/signup", userSchema, { body }));
}

const questionPairSchema = v.object({ question1: v.string(), question2: v.string() });

/** An account on its way to a new password: the name it was found by, and what it is asked. */
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

/** Where the answer to an operator login leads. Anything but a path on this site is ignored. */
export function safeRedirect(redirect: string): string {
  const { origin } = window.location;
  // Browsers drop tabs and line breaks from an address, so that "/<tab>/host" is another site too.
  const stays = URL.canParse(redirect, origin) && new URL(redirect, origin).origin === origin;
  return stays && /^\/(?![/\\])/.test(redirect) ? redirect : "/simple-operator";
}
