import * as v from "valibot";
import { key } from "#/i18n/key";
import { sixDigits } from "./factor";
import { atLeast, filled } from "./schema";

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
