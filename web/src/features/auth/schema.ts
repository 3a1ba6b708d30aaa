import * as v from "valibot";
import { key, type TextKey } from "#/i18n/key";

// The texts are the documented ones; lengths count characters as typed, nothing is trimmed away
// from a password.

function required(message: TextKey) {
  return v.pipe(v.string(), v.minLength(1, message));
}

/** An answer of blanks alone is none: the server compares without them. */
function answer(message: TextKey) {
  return v.pipe(
    v.string(),
    v.check((text) => text.trim() !== "", message),
  );
}

const email = v.pipe(v.string(), v.email());

export const ownerLoginSchema = v.object({
  emailOrBusinessName: required(key("auth.ownerLogin.nameRequired")),
  password: required(key("auth.ownerLogin.passwordRequired")),
  rememberMe: v.boolean(),
  totp: v.string(),
});

export const operatorLoginSchema = v.object({
  operatorName: v.string(),
  password: v.string(),
  rememberMe: v.boolean(),
});

export const signupSchema = v.pipe(
  v.object({
    businessName: v.pipe(
      v.string(),
      v.check((name) => name.trim().length >= 2, key("auth.signup.businessNameShort")),
    ),
    email: v.pipe(
      v.string(),
      v.check((text) => v.is(email, text.trim()), key("auth.signup.emailInvalid")),
    ),
    password: v.pipe(v.string(), v.minLength(6, key("auth.signup.passwordShort"))),
    confirmPassword: v.pipe(v.string(), v.minLength(6, key("auth.signup.confirmRequired"))),
  }),
  v.forward(
    v.partialCheck(
      [["password"], ["confirmPassword"]],
      ({ password, confirmPassword }) => password === confirmPassword,
      key("auth.signup.mismatch"),
    ),
    ["confirmPassword"],
  ),
);

export const securityQuestionsSchema = v.pipe(
  v.object({
    securityQuestion1: required(key("auth.questions.question1Required")),
    securityAnswer1: answer(key("auth.questions.answer1Required")),
    securityQuestion2: required(key("auth.questions.question2Required")),
    securityAnswer2: answer(key("auth.questions.answer2Required")),
  }),
  v.forward(
    v.partialCheck(
      [["securityQuestion1"], ["securityQuestion2"]],
      ({ securityQuestion1, securityQuestion2 }) => securityQuestion1 !== securityQuestion2,
      key("auth.questions.same"),
    ),
    ["securityQuestion2"],
  ),
);

export const reauthSchema = v.object({
  password: required(key("auth.ownerLogin.passwordRequired")),
});
