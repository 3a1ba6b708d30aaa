import { key, type TextKey } from "#/i18n/key";

/** The server speaks English; its fixed sentences are matched here so that Spanish readers get theirs. */
const textByMessage: Partial<Record<string, TextKey>> = {
  "Invalid email, business name or password": key("errors.invalidOwnerLogin"),
  "Invalid operator name or password": key("errors.invalidOperatorLogin"),
  "That email or business name is already in use.": key("errors.nameTaken"),
  "That business name is already in use.": key("settings.company.nameTaken"),
  "Please choose a valid time zone.": key("settings.company.zoneInvalid"),
  "Something went wrong. Please try again.": key("errors.server"),
  "Too busy right now. Please try again.": key("errors.unavailable"),
  "Please fill in all required fields.": key("errors.requiredFields"),
  "Contains characters that are not allowed.": key("errors.characters"),
  "Business name must be at least 2 characters": key("auth.signup.businessNameShort"),
  "Please enter a valid email address": key("auth.signup.emailInvalid"),
  "Password must be at least 6 characters": key("auth.signup.passwordShort"),
  "This password is too common. Please choose another one.": key("errors.passwordCommon"),
  "The password must not be your name, email, business name or the product's name.":
    key("errors.passwordKnown"),
  "Please choose another password.": key("errors.passwordOther"),
  "The password must not be the operator password.": key("admin-tools.isShared"),
  "Only the owner can change the owner's password.": key("admin-tools.ownersOwn"),
  "The operator password was changed at the same moment. Please try again.": key(
    "admin-tools.changedMeanwhile",
  ),
  "Please fill in all security questions and answers.": key("auth.questions.missing"),
  "Please choose different security questions.": key("auth.questions.same"),
  "Please choose a question from the list.": key("errors.questionUnknown"),
  "Answers must be 2 to 100 characters.": key("errors.answerLength"),
  "The answer must not be your email, business name or password.": key("errors.answerKnown"),
};

/** The key of a sentence the client has in both languages; null for any other. */
export function serverTextKey(message: string | null): TextKey | null {
  return textByMessage[message ?? ""] ?? null;
}
