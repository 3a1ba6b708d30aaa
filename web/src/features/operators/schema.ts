import type { MessageInitShape } from "@bufbuild/protobuf";
import * as v from "valibot";
import type { UpdateCompanySettingsRequestSchema } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { key } from "#/i18n/key";

const name = v.pipe(
  v.string(),
  v.check((text) => text.trim() !== "", key("operators.form.missingText")),
);

export const operatorSchema = v.object({ firstName: name, lastName: name });

export type OperatorValues = v.InferOutput<typeof operatorSchema>;

const email = v.pipe(v.string(), v.email());

export const managerSchema = v.object({
  firstName: name,
  lastName: name,
  email: v.pipe(
    name,
    v.check(
      (text) => text.trim() === "" || v.is(email, text.trim()),
      key("operators.managers.emailInvalid"),
    ),
  ),
});

export type ManagerValues = v.InferOutput<typeof managerSchema>;

/** Whether a required value is missing. */
export function isIncomplete(values: Partial<ManagerValues>): boolean {
  return Object.values(values).some((text) => text.trim() === "");
}

export const settingsSchema = v.object({
  // Named like the server's field. Lengths count code points; values are not trimmed.
  masterPassword: v.pipe(
    v.string(),
    v.check((text) => text === "" || length(text) >= 6, key("operators.settings.passwordShort")),
    v.check((text) => length(text) <= 64, key("operators.settings.passwordLong")),
  ),
  companyName: v.pipe(
    v.string(),
    v.check(
      (text) => text.trim() === "" || text.trim().length >= 2,
      key("operators.settings.nameShort"),
    ),
  ),
});

export type SettingsValues = v.InferOutput<typeof settingsSchema>;
export type SettingsRequest = MessageInitShape<typeof UpdateCompanySettingsRequestSchema>;

function length(text: string): number {
  return Array.from(text).length;
}

/** Only entered and changed values; null if there are none. */
export function toSettingsRequest(
  values: SettingsValues,
  companyName: string,
): SettingsRequest | null {
  const name = values.companyName.trim();
  const request = {
    ...(values.masterPassword === "" ? {} : { operatorPassword: values.masterPassword }),
    ...(name === "" || name === companyName ? {} : { companyName: name }),
  };
  return Object.keys(request).length > 0 ? request : null;
}
