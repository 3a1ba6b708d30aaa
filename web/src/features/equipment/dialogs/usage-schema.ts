import type { MessageInitShape } from "@bufbuild/protobuf";
import * as v from "valibot";
import type { RecordUsageRequestSchema } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { fuelKindOnWire } from "#/domain/equipment-wire";
import { fuelKinds } from "#/domain/equipment-words";
import { key } from "#/i18n/key";
import { hasAtMostTwoDecimals, parseDecimal } from "#/shared/form/decimal";

/** Fuel may be entered without usage; the usage field is empty then. */
function usageFits(usageIncrease: string, fuelAdded: string): boolean {
  if (usageIncrease.trim() === "") return (parseDecimal(fuelAdded) ?? 0) > 0;
  return (parseDecimal(usageIncrease) ?? 0) > 0;
}

function twoDecimals(text: string): boolean {
  const value = parseDecimal(text);
  return value === null || hasAtMostTwoDecimals(value);
}

export const usageSchema = v.pipe(
  v.object({
    usageIncrease: v.pipe(v.string(), v.check(twoDecimals, key("equipment.form.twoDecimals"))),
    fuelAdded: v.pipe(
      v.string(),
      v.check(
        (text) => text.trim() === "" || (parseDecimal(text) ?? -1) >= 0,
        key("equipment.usage.fuelInvalid"),
      ),
      v.check(twoDecimals, key("equipment.form.twoDecimals")),
    ),
    fuelKind: v.picklist(fuelKinds),
    notes: v.string(),
  }),
  v.forward(
    v.partialCheck(
      [["usageIncrease"], ["fuelAdded"]],
      ({ usageIncrease, fuelAdded }) => usageFits(usageIncrease, fuelAdded),
      key("equipment.usage.invalidText"),
    ),
    ["usageIncrease"],
  ),
);

export type UsageValues = v.InferOutput<typeof usageSchema>;

export function toUsageRequest(
  id: string,
  values: UsageValues,
): MessageInitShape<typeof RecordUsageRequestSchema> {
  const increase = parseDecimal(values.usageIncrease);
  const fuel = parseDecimal(values.fuelAdded);
  return {
    id,
    ...(increase === null ? {} : { usageIncrease: increase }),
    // The fuel type is sent only when fuel is added.
    ...(fuel ? { fuelAdded: fuel, fuelKind: fuelKindOnWire[values.fuelKind] } : {}),
    notes: values.notes.trim(),
  };
}
