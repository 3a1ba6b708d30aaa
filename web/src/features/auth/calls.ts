import { queryOptions } from "@tanstack/react-query";
import * as v from "valibot";
import { rest } from "#/api/rest";
import { userSchema, type User } from "#/api/session";
import type {
  operatorLoginSchema,
  ownerLoginSchema,
  securityQuestionsSchema,
  signupSchema,
} from "./schema";

export function loginOwner(values: v.InferOutput<typeof ownerLoginSchema>): Promise<User> {
  const { totp, ...body } = values;
  return rest("POST", "/api/auth/login", userSchema, {
    body: totp.trim() ? { ...body, totp: totp.trim() } : body,
  });
}

export function loginOperator(values: v.InferOutput<typeof operatorLoginSchema>) {
  return rest("POST", "/api/employee/login", v.object({ redirect: v.string(), user: userSchema }), {
    body: values,
  });
}

export function signUp(values: v.InferOutput<typeof signupSchema>): Promise<User> {
  return rest("POST", "/api/auth/signup", userSchema, {
    body: {
      businessName: values.businessName.trim(),
      email: values.email.trim(),
      password: values.password,
      // Maintenance dates fall due by the company's calendar.
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    },
  });
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
  return /^\/(?![/\\])/.test(redirect) ? redirect : "/simple-operator";
}
