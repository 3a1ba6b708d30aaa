import * as v from "valibot";
import { key, type TextKey } from "#/i18n/key";

// Lengths count code points. Passwords are not trimmed.

function required(message: TextKey) {
  return v.pipe(v.string(), v.minLength(1, message));
}

/** Blank answers are refused, because the server ignores whitespace. */
export function filled(message: TextKey) {
  return v.pipe(
    v.string(),
    v.check((text) => text.trim() !== "", message),
  );
}

export function atLeast(length: number, message: TextKey) {
  return v.pipe(
    v.string(),
    v.check((text) => Array.from(text).length >= length, message),
  );
}

const email = v.pipe(v.string(), v.email());

export const signupSchema = v.pipe(
  v.object({
    businessName: v.pipe(
      v.string(),
      v.check((name) => Array.from(name.trim()).length >= 2, key("auth.signup.businessNameShort")),
    ),
    firstName: v.string(),
    lastName: v.string(),
    email: v.pipe(
      v.string(),
      v.check((text) => v.is(email, text.trim()), key("auth.signup.emailInvalid")),
    ),
    password: atLeast(6, key("auth.signup.passwordShort")),
    confirmPassword: atLeast(6, key("auth.signup.confirmRequired")),
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

export const findAccountSchema = v.object({
  emailOrBusinessName: filled(key("auth.forgot.nameRequired")),
});

export const resetPasswordSchema = v.pipe(
  v.object({
    securityAnswer1: filled(key("auth.questions.answer1Required")),
    securityAnswer2: filled(key("auth.questions.answer2Required")),
    newPassword: atLeast(6, key("auth.forgot.passwordShort")),
    confirmPassword: v.string(),
  }),
  v.forward(
    v.partialCheck(
      [["newPassword"], ["confirmPassword"]],
      ({ newPassword, confirmPassword }) => newPassword === confirmPassword,
      key("auth.forgot.mismatch"),
    ),
    ["confirmPassword"],
  ),
);

export const newPasswordSchema = v.pipe(
  v.object({
    newPassword: atLeast(6, key("auth.forgot.passwordShort")),
    confirmPassword: v.string(),
  }),
  v.forward(
    v.partialCheck(
      [["newPassword"], ["confirmPassword"]],
      ({ newPassword, confirmPassword }) => newPassword === confirmPassword,
      key("auth.forgot.mismatch"),
    ),
    ["confirmPassword"],
  ),
);

export const securityQuestionsSchema = v.pipe(
  v.object({
    securityQuestion1: required(key("auth.questions.question1Required")),
    securityAnswer1: filled(key("auth.questions.answer1Required")),
    securityQuestion2: required(key("auth.questions.question2Required")),
    securityAnswer2: filled(key("auth.questions.answer2Required")),
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
