import * as v from "valibot";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { fuelKinds } from "#/domain/equipment-words";
import { key } from "#/i18n/key";
import { hasAtMostTwoDecimals, parseDecimal } from "#/shared/form/decimal";
import type { OutboxEntry } from "./outbox-entry";

const largest = 1e9;

/** A quantity as typed: nothing, or a number of 0 or more with at most two decimals. */
function isQuantity(text: string): boolean {
  if (text.trim() === "") return true;
  const value = parseDecimal(text);
  return value !== null && value >= 0 && value <= largest && hasAtMostTwoDecimals(value);
}

/** Section 5: equipment is needed, and at least one of usage, fuel above 0 or notes. */
export const updateSchema = v.pipe(
  v.object({
    equipmentId: v.pipe(v.string(), v.nonEmpty(key("operator.errors.noEquipment"))),
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
  reading: "",
  fuel: "",
  fuelKind: "gas",
  notes: "",
};

export function toEntry(
  values: UpdateValues,
  equipment: Pick<Equipment, "id" | "name">,
  { clientId, now }: { clientId: string; now: Date },
): OutboxEntry {
  const fuel = parseDecimal(values.fuel);
  return {
    clientId,
    capturedAt: now.toISOString(),
    equipmentId: equipment.id,
    equipmentName: equipment.name,
    reading: parseDecimal(values.reading),
    fuelAdded: fuel !== null && fuel > 0 ? fuel : null,
    fuelKind: values.fuelKind,
    notes: values.notes.trim(),
    state: "waiting",
    reason: null,
    failures: 0,
  };
}

/** A refused entry back in the form, for correction. */
export function toValues(entry: OutboxEntry): UpdateValues {
  return {
    equipmentId: entry.equipmentId,
    reading: entry.reading === null ? "" : String(entry.reading),
    fuel: entry.fuelAdded === null ? "" : String(entry.fuelAdded),
    fuelKind: entry.fuelKind,
    notes: entry.notes,
  };
}
