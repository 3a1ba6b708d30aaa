import * as v from "valibot";
import { pinProblem } from "#/domain/pin";
import { key } from "#/i18n/key";

export const pinSchema = v.pipe(
  v.object({
    pin: v.pipe(
      v.string(),
      v.check((pin) => pinProblem(pin) !== "form", key("phone.errors.form")),
      v.check((pin) => pinProblem(pin) !== "easy", key("phone.errors.easy")),
    ),
    repeated: v.string(),
    label: v.pipe(
      v.string(),
      v.check((label) => label.trim() !== "", key("phone.errors.label")),
      v.maxLength(60, key("phone.errors.label")),
    ),
  }),
  v.forward(
    v.partialCheck(
      [["pin"], ["repeated"]],
      ({ pin, repeated }) => pin === repeated,
      key("phone.errors.repeated"),
    ),
    ["repeated"],
  ),
);
