import * as v from "valibot";
import { fuelKinds, type UnitWord } from "#/domain/equipment-words";
import { key, type TextKey } from "#/i18n/key";
import { hasTooManyDecimals, parseDecimal } from "#/shared/form/decimal";
import type { OutboxEntry } from "../send/outbox-entry";

const largestQuantity = 1e9;

/** Accepts an empty text, or a number of 0 or more with at most two decimals. */
function isQuantity(text: string): boolean {
  if (text.trim() === "") return true;
  const value = parseDecimal(text);
  return value !== null && value >= 0 && value <= largestQuantity && !hasTooManyDecimals(text);
}

/** The usage field holds the meter reading or the usage added since the last one. */
const usageModes = ["reading", "added"] as const;
export type UsageMode = (typeof usageModes)[number];

/** The form's values as typed. Drafts store them too. */
export const updateValuesSchema = v.object({
  equipmentId: v.string(),
  mode: v.picklist(usageModes),
  reading: v.string(),
  fuel: v.string(),
  fuelKind: v.picklist(fuelKinds),
  /** Drafts of earlier versions have none. */
  fullFill: v.optional(v.boolean(), false),
  notes: v.string(),
});

export type UpdateValues = v.InferOutput<typeof updateValuesSchema>;

/** Text keys of validation errors, by field. */
export type Problems = Partial<Record<"equipmentId" | "reading" | "fuel", TextKey>>;

/**
 * An update needs equipment and at least one of usage, fuel above 0 or notes. `last` is the reading
 * that added hours are based on, if known.
 */
export function problemsIn(values: UpdateValues, last: number | null): Problems {
  const { equipmentId, mode, reading, fuel, fullFill, notes } = values;
  const isReadable = isQuantity(reading) && (typedReading(values, last) ?? 0) <= largestQuantity;
  const isEmpty =
    (reading.trim() === "" || (mode === "added" && parseDecimal(reading) === 0)) &&
    notes.trim() === "" &&
    // An invalid fuel amount has its own error.
    isQuantity(fuel) &&
    (parseDecimal(fuel) ?? 0) <= 0;
  return {
    ...(equipmentId === "" && { equipmentId: key("operator.errors.noEquipment") }),
    ...(isEmpty && { reading: key("operator.errors.noInformation") }),
    ...(!isReadable && { reading: key("operator.errors.invalidUsage") }),
    ...((!isQuantity(fuel) || (fullFill && !parseDecimal(fuel))) && {
      fuel: key("operator.errors.invalidFuel"),
    }),
  };
}

export const emptyUpdate: UpdateValues = {
  equipmentId: "",
  mode: "reading",
  reading: "",
  fuel: "",
  fuelKind: "gas",
  fullFill: false,
  notes: "",
};

/** The reading typed, or the one after the hours added. Null if empty or invalid. */
export function typedReading(
  { mode, reading }: Pick<UpdateValues, "mode" | "reading">,
  last: number | null,
): number | null {
  const typed = parseDecimal(reading);
  if (typed === null || typed < 0) return null;
  if (mode === "reading") return typed;
  return last === null ? null : Math.round((last + typed) * 100) / 100;
}

export function toEntry(
  values: UpdateValues,
  equipment: { id: string; name: string; lastReading?: number | null; unit?: UnitWord | null },
  { clientId, now }: { clientId: string; now: Date },
): OutboxEntry {
  const fuel = parseDecimal(values.fuel);
  const typed = parseDecimal(values.reading);
  const isAdded = values.mode === "added";
  return {
    clientId,
    capturedAt: now.toISOString(),
    equipmentId: equipment.id,
    equipmentName: equipment.name,
    reading: isAdded && !typed ? null : typedReading(values, equipment.lastReading ?? null),
    ...(isAdded && typed ? { increase: typed } : {}),
    ...(equipment.unit ? { unit: equipment.unit } : {}),
    fuelAdded: fuel !== null && fuel > 0 ? fuel : null,
    fuelKind: values.fuelKind,
    fullFill: values.fullFill,
    notes: values.notes.trim(),
    state: "waiting",
    reason: null,
    failures: 0,
  };
}

/** Form values for the correction of an entry. */
export function toValues(
  entry: Pick<
    OutboxEntry,
    "equipmentId" | "reading" | "increase" | "fuelAdded" | "fuelKind" | "fullFill" | "notes"
  >,
): UpdateValues {
  return {
    equipmentId: entry.equipmentId,
    mode: entry.increase == null ? "reading" : "added",
    reading: String(entry.increase ?? entry.reading ?? ""),
    fuel: entry.fuelAdded === null ? "" : String(entry.fuelAdded),
    fuelKind: entry.fuelKind,
    fullFill: entry.fullFill ?? false,
    notes: entry.notes,
  };
}
