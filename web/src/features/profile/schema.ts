import type { MessageInitShape } from "@bufbuild/protobuf";
import * as v from "valibot";
import type { UpdateProfileRequestSchema, User } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { key } from "#/i18n/key";

/** The basic pattern; the server checks more. */
const emailPattern = /^[^\s@]+@[^\s@]+\.[^\s@]+$/;
const isEmail = (text: string) => emailPattern.test(text.trim());
const isBlank = (text: string) => text.trim() === "";
const length = (text: string) => Array.from(text).length;

/** The fields a person has, and the required ones. */
export interface ProfileRules {
  /** Owners and managers sign in with their email, and have a company name. */
  manages: boolean;
  /** Sign-up does not require an owner's name; lists need everyone else's. */
  needsName: boolean;
}

export function profileSchema({ manages, needsName }: ProfileRules) {
  const name = v.pipe(
    v.string(),
    v.check((text) => !needsName || !isBlank(text), key("errors.requiredFields")),
  );
  return v.object({
    firstName: name,
    lastName: name,
    email: v.pipe(
      v.string(),
      v.check((text) => isEmail(text) || (!manages && isBlank(text)), key("profile.emailInvalid")),
    ),
    secondaryEmail: v.pipe(
      v.string(),
      v.check((text) => isBlank(text) || isEmail(text), key("profile.secondaryInvalid")),
    ),
    companyName: v.pipe(
      v.string(),
      v.check((text) => !manages || !isBlank(text), key("profile.companyEmpty")),
      v.check((text) => !manages || length(text.trim()) >= 2, key("operators.settings.nameShort")),
    ),
  });
}

export type ProfileValues = v.InferOutput<ReturnType<typeof profileSchema>>;
export const profileFields = [
  "firstName",
  "lastName",
  "email",
  "secondaryEmail",
  "companyName",
] as const satisfies ReadonlyArray<keyof ProfileValues>;

export function profileValues(user: User): ProfileValues {
  const { firstName, lastName, email = "", secondaryEmail = "", businessName } = user;
  return { firstName, lastName, email, secondaryEmail, companyName: businessName };
}

export interface ProfileChange {
  person: MessageInitShape<typeof UpdateProfileRequestSchema> | null;
  companyName: string | null;
}

/** Only changed values are sent: addresses need a recent sign-in, names do not. */
export function changeOf(values: ProfileValues, user: User): ProfileChange {
  const initial = profileValues(user);
  const differs = (name: keyof ProfileValues) => values[name].trim() !== initial[name];
  const pick = (name: "firstName" | "lastName" | "email" | "secondaryEmail") =>
    differs(name) ? { [name]: values[name].trim() } : {};
  const person = {
    ...pick("firstName"),
    ...pick("lastName"),
    ...pick("email"),
    ...pick("secondaryEmail"),
  };
  return {
    person: Object.keys(person).length > 0 ? person : null,
    companyName: differs("companyName") ? values.companyName.trim() : null,
  };
}

export function isChanged({ person, companyName }: ProfileChange): boolean {
  return person !== null || companyName !== null;
}

// Passwords are not trimmed; lengths count code points.
export const passwordSchema = v.pipe(
  v.object({
    currentPassword: v.pipe(v.string(), v.minLength(1, key("profile.password.currentRequired"))),
    newPassword: v.pipe(
      v.string(),
      v.check((text) => length(text) >= 6, key("auth.signup.passwordShort")),
      v.check((text) => length(text) <= 128, key("admin-tools.longText")),
    ),
    confirmPassword: v.string(),
  }),
  v.forward(
    v.partialCheck(
      [["newPassword"], ["confirmPassword"]],
      ({ newPassword, confirmPassword }) => newPassword === confirmPassword,
      key("profile.password.mismatch"),
    ),
    ["confirmPassword"],
  ),
);

export type PasswordValues = v.InferOutput<typeof passwordSchema>;
