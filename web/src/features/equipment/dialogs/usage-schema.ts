import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import * as v from "valibot";
import type {
  Equipment,
  RecordUsageRequestSchema,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { fuelKindOnWire } from "#/domain/equipment-wire";
import { fuelKinds } from "#/domain/equipment-words";
import { key } from "#/i18n/key";
import { hasTooManyDecimals, parseDecimal } from "#/shared/form/decimal";
import { isSmallEnough } from "../form/quantity";
import { readMoment } from "../meters/moment";

const ways = ["increase", "reading"] as const;

/** Empty, or a number of 0 or more. */
function isQuantity(text: string): boolean {
  return text.trim() === "" || (parseDecimal(text) ?? -1) >= 0;
}

const isPositive = (text: string) => (parseDecimal(text) ?? 0) > 0;

/** Fuel may be entered without usage; the usage field is empty then. */
function isFuelAlone(usage: string, { forFuel, fuelAdded }: Fuel): boolean {
  return usage.trim() === "" && (forFuel || isPositive(fuelAdded));
}

interface Fuel {
  forFuel: boolean;
  fuelAdded: string;
}

export const usageSchema = v.pipe(
  v.object({
    way: v.picklist(ways),
    /** Whether the entry needs fuel; otherwise it needs usage or fuel. */
    forFuel: v.boolean(),
    usageIncrease: v.string(),
    reading: v.string(),
    capturedAt: v.string(),
    fuelAdded: v.pipe(
      v.string(),
      v.check((text) => !hasTooManyDecimals(text), key("equipment-form.fields.twoDecimals")),
      v.check(isQuantity, key("equipment-dialogs.usage.fuelInvalid")),
      v.check(isSmallEnough, key("equipment-form.fields.tooLarge")),
    ),
    fuelKind: v.picklist(fuelKinds),
    fullFill: v.boolean(),
    notes: v.string(),
  }),
  v.forward(
    v.partialCheck(
      [["fuelAdded"], ["fullFill"]],
      ({ fuelAdded, fullFill }) => !fullFill || isPositive(fuelAdded),
      key("equipment-dialogs.usage.fullFillAmount"),
    ),
    ["fuelAdded"],
  ),
  v.forward(
    v.partialCheck(
      [["forFuel"], ["fuelAdded"], ["fullFill"]],
      ({ forFuel, fuelAdded, fullFill }) => !forFuel || fullFill || isPositive(fuelAdded),
      key("equipment-dialogs.usage.fuelMissing"),
    ),
    ["fuelAdded"],
  ),
  // The fields of the other way are not shown.
  v.forward(
    v.partialCheck(
      [["way"], ["usageIncrease"]],
      ({ way, usageIncrease }) => way === "reading" || !hasTooManyDecimals(usageIncrease),
      key("equipment-form.fields.twoDecimals"),
    ),
    ["usageIncrease"],
  ),
  v.forward(
    v.partialCheck(
      [["way"], ["reading"]],
      ({ way, reading }) => way === "increase" || !hasTooManyDecimals(reading),
      key("equipment-form.fields.twoDecimals"),
    ),
    ["reading"],
  ),
  v.forward(
    v.partialCheck(
      [["way"], ["usageIncrease"]],
      ({ way, usageIncrease }) => way === "reading" || isSmallEnough(usageIncrease),
      key("equipment-form.fields.tooLarge"),
    ),
    ["usageIncrease"],
  ),
  v.forward(
    v.partialCheck(
      [["way"], ["reading"]],
      ({ way, reading }) => way === "increase" || isSmallEnough(reading),
      key("equipment-form.fields.tooLarge"),
    ),
    ["reading"],
  ),
  v.forward(
    v.partialCheck(
      [["way"], ["capturedAt"]],
      ({ way, capturedAt }) =>
        way === "increase" ||
        capturedAt === "" ||
        (readMoment(capturedAt) ?? Infinity) <= new Date(),
      key("equipment-meters.replace.future"),
    ),
    ["capturedAt"],
  ),
  v.forward(
    v.partialCheck(
      [["way"], ["usageIncrease"], ["forFuel"], ["fuelAdded"]],
      ({ way, usageIncrease, ...fuel }) =>
        way === "reading" || isFuelAlone(usageIncrease, fuel) || isPositive(usageIncrease),
      key("equipment-dialogs.usage.invalidText"),
    ),
    ["usageIncrease"],
  ),
  v.forward(
    v.partialCheck(
      [["way"], ["reading"], ["forFuel"], ["fuelAdded"]],
      ({ way, reading, ...fuel }) =>
        way === "increase" ||
        isFuelAlone(reading, fuel) ||
        (reading.trim() !== "" && isQuantity(reading)),
      key("equipment-meters.replace.invalid"),
    ),
    ["reading"],
  ),
);

export type UsageValues = v.InferOutput<typeof usageSchema>;

/** `seen` is the machine as the form shows it: a meter that has moved since refuses the entry. */
export function toUsageRequest(
  seen: Pick<Equipment, "id" | "meterReading">,
  values: UsageValues,
): MessageInitShape<typeof RecordUsageRequestSchema> {
  const isReading = values.way === "reading";
  const usage = parseDecimal(isReading ? values.reading : values.usageIncrease);
  const at = isReading ? readMoment(values.capturedAt) : null;
  const fuel = parseDecimal(values.fuelAdded);
  return {
    id: seen.id,
    ...(usage !== null && {
      ...(isReading ? { reading: usage } : { usageIncrease: usage }),
      expectedReading: seen.meterReading,
    }),
    ...(at && { capturedAt: timestampFromDate(at) }),
    // The fuel type is sent only when fuel is added.
    ...(fuel && {
      fuelAdded: fuel,
      fuelKind: fuelKindOnWire[values.fuelKind],
      fullFill: values.fullFill,
    }),
    notes: values.notes.trim(),
  };
}
