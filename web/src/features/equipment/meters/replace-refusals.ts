import type { TFunction } from "i18next";
import type { UseFormReturn } from "react-hook-form";
import { toFailure } from "#/api/errors";
import { key, type TextKey } from "#/i18n/key";
import { parseDecimal } from "#/shared/form/decimal";
import { presetFinal, type MeterEndWord, type ReplaceValues } from "./replace-schema";

/** Values that were not typed follow the meter; typed ones are kept and validated again. */
export function follow(
  form: UseFormReturn<ReplaceValues>,
  way: MeterEndWord,
  before: number,
  now: number,
): void {
  const typed = form.getValues("final");
  if (typed === presetFinal(way, before)) {
    form.setValue("final", presetFinal(way, now));
  } else if ((parseDecimal(typed) ?? 0) < now) {
    form.setError(
      "final",
      { type: "server", message: key("equipment-meters.replace.finalLow") },
      { shouldFocus: true },
    );
  }
}

const refusedFields: ReadonlyArray<
  readonly [server: string, field: keyof ReplaceValues, message: TextKey]
> = [
  ["finalReading", "final", key("equipment-meters.replace.finalLow")],
  ["startReading", "start", key("equipment-meters.replace.invalid")],
  ["reading", "reading", key("equipment-meters.replace.outOfRange")],
  ["replacedAt", "at", key("equipment-meters.replace.early")],
  ["notes", "notes", key("equipment-meters.replace.notesLong")],
];

/** Sets the server's field errors. */
export function showRefused(form: UseFormReturn<ReplaceValues>, error: Error): void {
  const { fields } = toFailure(error);
  let first = true;
  for (const [server, field, message] of refusedFields) {
    if (fields[server] === undefined) continue;
    form.setError(field, { type: "server", message }, { shouldFocus: first });
    first = false;
  }
}

export function refusal(t: TFunction, error: Error): string | null {
  const { code, fields, status } = toFailure(error);
  if (status === 404) return t("equipment-meters.replace.gone");
  if (code === "NO_METER") return t("equipment-meters.replace.noMeter");
  return refusedFields.some(([server]) => fields[server] !== undefined)
    ? t("equipment-meters.replace.checkFields")
    : null;
}
