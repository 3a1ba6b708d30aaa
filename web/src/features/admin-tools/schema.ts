import * as v from "valibot";
import { key } from "#/i18n/key";

// Passwords are not trimmed.

export const resetSchema = v.pipe(
  v.object({
    userId: v.pipe(v.string(), v.minLength(1, key("admin-tools.userRequiredText"))),
    newPassword: v.pipe(
      v.string(),
      v.minLength(6, key("admin-tools.shortText")),
      v.maxLength(128, key("admin-tools.longText")),
    ),
    confirmation: v.string(),
  }),
  v.forward(
    v.partialCheck(
      [["newPassword"], ["confirmation"]],
      ({ newPassword, confirmation }) => newPassword === confirmation,
      key("admin-tools.mismatchText"),
    ),
    ["confirmation"],
  ),
);

export type ResetValues = v.InferOutput<typeof resetSchema>;

export const blankReset: ResetValues = { userId: "", newPassword: "", confirmation: "" };
