import * as v from "valibot";
import { key, type TextKey } from "#/i18n/key";
import { codeDigits, type AskedFactor, type FactorValues } from "./factor";

// The texts are the documented ones; lengths count characters as a person does, nothing is trimmed
// away from a password.

function required(message: TextKey) {
  return v.pipe(v.string(), v.minLength(1, message));
}

/** Blanks alone are none: the server compares without them. */
function filled(message: TextKey) {
  return v.pipe(
    v.string(),
    v.check((text) => text.trim() !== "", message),
  );
}

function atLeast(length: number, message: TextKey) {
  return v.pipe(
    v.string(),
    v.check((text) => Array.from(text).length >= length, message),
  );
}

const email = v.pipe(v.string(), v.email());
const sixDigits = (code: string): boolean => /^\d{6}$/.test(codeDigits(code));

const codeOk = (asked: AskedFactor | null, { totp }: Pick<FactorValues, "totp">) =>
  asked?.chosen !== "totp" || sixDigits(totp);
const recoveryOk = (
  asked: AskedFactor | null,
  { recoveryCode }: Pick<FactorValues, "recoveryCode">,
) => asked?.chosen !== "recoveryCode" || recoveryCode.trim() !== "";

/** `asked`: the name that has to give a second factor too, if the server asked for one. */
export function ownerLoginSchema(asked: AskedFactor | null) {
  const of = (name: string) => (name === asked?.name ? asked : null);
  return v.pipe(
    v.object({
      emailOrBusinessName: required(key("auth.ownerLogin.nameRequired")),
      password: required(key("auth.ownerLogin.passwordRequired")),
      rememberMe: v.boolean(),
      totp: v.string(),
      recoveryCode: v.string(),
    }),
    v.forward(
      v.partialCheck(
        [["emailOrBusinessName"], ["totp"]],
        ({ emailOrBusinessName, totp }) => codeOk(of(emailOrBusinessName), { totp }),
        key("auth.ownerLogin.totpRequired"),
      ),
      ["totp"],
    ),
    v.forward(
      v.partialCheck(
        [["emailOrBusinessName"], ["recoveryCode"]],
        ({ emailOrBusinessName, recoveryCode }) =>
          recoveryOk(of(emailOrBusinessName), { recoveryCode }),
        key("second-factor.signIn.recoveryRequired"),
      ),
      ["recoveryCode"],
    ),
  );
}

export function operatorLoginSchema(asked: AskedFactor | null) {
  const of = (name: string) => (name === asked?.name ? asked : null);
  return v.pipe(
    v.object({
      operatorName: v.string(),
      password: v.string(),
      rememberMe: v.boolean(),
      totp: v.string(),
      recoveryCode: v.string(),
    }),
    v.forward(
      v.partialCheck(
        [["operatorName"], ["totp"]],
        ({ operatorName, totp }) => codeOk(of(operatorName), { totp }),
        key("auth.ownerLogin.totpRequired"),
      ),
      ["totp"],
    ),
    v.forward(
      v.partialCheck(
        [["operatorName"], ["recoveryCode"]],
        ({ operatorName, recoveryCode }) => recoveryOk(of(operatorName), { recoveryCode }),
        key("second-factor.signIn.recoveryRequired"),
      ),
      ["recoveryCode"],
    ),
  );
}

/** Signing in again as the person this page already knows. */
export function signInAgainSchema(asked: AskedFactor | null) {
  return v.object({
    password: required(key("auth.ownerLogin.passwordRequired")),
    rememberMe: v.boolean(),
    totp: v.pipe(
      v.string(),
      v.check((totp) => codeOk(asked, { totp }), key("auth.ownerLogin.totpRequired")),
    ),
    recoveryCode: v.pipe(
      v.string(),
      v.check(
        (recoveryCode) => recoveryOk(asked, { recoveryCode }),
        key("second-factor.signIn.recoveryRequired"),
      ),
    ),
  });
}

export const signupSchema = v.pipe(
  v.object({
    businessName: v.pipe(
      v.string(),
      v.check((name) => Array.from(name.trim()).length >= 2, key("auth.signup.businessNameShort")),
    ),
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

export const staffCodeSchema = v.object({ code: filled(key("second-factor.staff.codeRequired")) });

export const staffEnrolmentSchema = v.pipe(
  v.object({
    totp: v.pipe(v.string(), v.check(sixDigits, key("auth.ownerLogin.totpRequired"))),
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
