import * as v from "valibot";
import { fuelKinds } from "#/domain/equipment-words";
import { key } from "#/i18n/key";
import { hasAtMostTwoDecimals, parseDecimal } from "#/shared/form/decimal";
import type { OutboxEntry } from "../send/outbox-entry";

export const largestQuantity = 1e9;

/** A quantity as typed: nothing, or a number of 0 or more with at most two decimals. */
function isQuantity(text: string): boolean {
  if (text.trim() === "") return true;
  const value = parseDecimal(text);
  return value !== null && value >= 0 && value <= largestQuantity && hasAtMostTwoDecimals(value);
}

/** What the usage field holds: what the meter shows, or how much was added since. */
const usageModes = ["reading", "added"] as const;
export type UsageMode = (typeof usageModes)[number];

/** Section 5: equipment is needed, and at least one of usage, fuel above 0 or notes. */
export const updateSchema = v.pipe(
  v.object({
    equipmentId: v.pipe(v.string(), v.nonEmpty(key("operator.errors.noEquipment"))),
    mode: v.picklist(usageModes),
    reading: v.pipe(v.string(), v.check(isQuantity, key("operator.errors.invalidUsage"))),
    fuel: v.pipe(v.string(), v.check(isQuantity, key("operator.errors.invalidFuel"))),
    fuelKind: v.picklist(fuelKinds),
    notes: v.string(),
  }),
  v.forward(
    v.check(
      ({ reading, fuel, notes }) =>
        reading.trim() !== "" ||
        notes.trim() !== "" ||
        // A fuel amount that can't be read has an error of its own.
        !isQuantity(fuel) ||
        (parseDecimal(fuel) ?? 0) > 0,
      key("operator.errors.noInformation"),
    ),
    ["reading"],
  ),
);

export type UpdateValues = v.InferOutput<typeof updateSchema>;

export const emptyUpdate: UpdateValues = {
  equipmentId: "",
  mode: "reading",
  reading: "",
  fuel: "",
  fuelKind: "gas",
  notes: "",
};

/** The reading that was typed, or that the hours added lead to; null: none, or it can't be read. */
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
  equipment: { id: string; name: string; lastReading?: number | null },
  { clientId, now }: { clientId: string; now: Date },
): OutboxEntry {
  const fuel = parseDecimal(values.fuel);
  return {
    clientId,
    capturedAt: now.toISOString(),
    equipmentId: equipment.id,
    equipmentName: equipment.name,
    reading: typedReading(values, equipment.lastReading ?? null),
    fuelAdded: fuel !== null && fuel > 0 ? fuel : null,
    fuelKind: values.fuelKind,
    notes: values.notes.trim(),
    state: "waiting",
    reason: null,
    failures: 0,
  };
}

/** The same as it lies on the device, finished or not. */
export const updateValuesSchema = v.object({
  equipmentId: v.string(),
  mode: v.picklist(usageModes),
  reading: v.string(),
  fuel: v.string(),
  fuelKind: v.picklist(fuelKinds),
  notes: v.string(),
});

/** What was sent or refused back in the form, for correction. */
export function toValues(
  entry: Pick<OutboxEntry, "equipmentId" | "reading" | "fuelAdded" | "fuelKind" | "notes">,
): UpdateValues {
  return {
    equipmentId: entry.equipmentId,
    mode: "reading",
    reading: entry.reading === null ? "" : String(entry.reading),
    fuel: entry.fuelAdded === null ? "" : String(entry.fuelAdded),
    fuelKind: entry.fuelKind,
    notes: entry.notes,
  };
}
