import * as v from "valibot";
import { calendarUnits, nextDate, readDate, type CalendarUnit } from "#/domain/calendar";
import { equipmentTypes } from "#/domain/equipment-types";
import {
  alertThresholds,
  equipmentFuels,
  meterUnits,
  operationalStatuses,
} from "#/domain/equipment-words";
import { key, type TextKey } from "#/i18n/key";
import { parseDecimal } from "#/shared/form/decimal";
import { largest, quantity } from "./quantity";

// Values are the text in the fields, so numbers are strings.

function whole(min: number, message: TextKey) {
  return v.pipe(
    v.string(),
    v.check((text) => {
      const value = parseDecimal(text);
      return (
        text.trim() === "" ||
        (value !== null && value >= min && value <= largest && Number.isInteger(value))
      );
    }, message),
  );
}

function choice(words: readonly string[], message: TextKey) {
  return v.pipe(
    v.string(),
    v.check((text) => words.includes(text), message),
  );
}

const partSchema = v.pipe(
  v.object({
    part: v.pipe(v.string(), v.maxLength(100)),
    partNumber: v.pipe(v.string(), v.maxLength(100)),
    quantity: whole(1, key("equipment-form.fields.parts.quantityLow")),
  }),
  // Blank rows are dropped; a row with a number or a quantity needs a part name.
  v.forward(
    v.partialCheck(
      [["part"], ["partNumber"], ["quantity"]],
      (row) =>
        row.part.trim() !== "" || (row.partNumber.trim() === "" && row.quantity.trim() === ""),
      key("equipment-form.fields.parts.partRequired"),
    ),
    ["part"],
  ),
);

const maintenanceFields = [
  ["hasScheduledMaintenance"],
  ["maintenanceStartDate"],
  ["maintenanceInterval"],
  ["maintenanceIntervalUnit"],
] as const;

export const equipmentSchema = v.pipe(
  v.object({
    name: v.pipe(
      v.string(),
      v.check((text) => text.trim() !== "", key("equipment-form.fields.nameRequired")),
    ),
    type: choice(equipmentTypes, key("equipment-form.fields.typeRequired")),
    unitNumber: v.string(),
    serialNumber: v.string(),
    group: v.string(),
    operationalStatus: v.picklist(operationalStatuses),
    unit: choice(meterUnits, key("equipment-form.fields.unitRequired")),
    fuel: v.picklist(equipmentFuels),
    currentUsage: quantity(key("equipment-form.fields.usageLow")),
    threshold: quantity(key("equipment-form.fields.thresholdLow"), 1),
    alertThreshold: v.picklist(alertThresholds),
    serviceInterval: whole(0, key("equipment-form.fields.intervalWhole")),
    lastServiceUsage: quantity(key("equipment-form.fields.usageLow")),
    hasScheduledMaintenance: v.boolean(),
    maintenanceStartDate: v.string(),
    maintenanceInterval: v.string(),
    maintenanceIntervalUnit: v.picklist(calendarUnits),
    serviceParts: v.array(partSchema),
    description: v.string(),
  }),
  v.forward(
    v.partialCheck(
      maintenanceFields,
      (form) => !form.hasScheduledMaintenance || form.maintenanceStartDate !== "",
      key("equipment-form.fields.startRequired"),
    ),
    ["maintenanceStartDate"],
  ),
  v.forward(
    v.partialCheck(
      maintenanceFields,
      (form) =>
        !form.hasScheduledMaintenance ||
        form.maintenanceStartDate === "" ||
        readDate(form.maintenanceStartDate) !== null,
      key("equipment-form.fields.dateInvalid"),
    ),
    ["maintenanceStartDate"],
  ),
  v.forward(
    v.partialCheck(
      maintenanceFields,
      (form) => !form.hasScheduledMaintenance || Number(form.maintenanceInterval) > 0,
      key("equipment-form.fields.maintenanceIntervalRequired"),
    ),
    ["maintenanceInterval"],
  ),
  v.forward(
    v.partialCheck(
      maintenanceFields,
      (form) => !form.hasScheduledMaintenance || !isTooFar(form),
      key("equipment-form.fields.maintenanceTooFar"),
    ),
    ["maintenanceInterval"],
  ),
);

export type EquipmentValues = v.InferOutput<typeof equipmentSchema>;

interface Maintenance {
  maintenanceStartDate: string;
  maintenanceInterval: string;
  maintenanceIntervalUnit: CalendarUnit;
}

/** The next date from start and interval; null while one of them is missing or invalid. */
export function plannedDate(form: Maintenance): string | null {
  const start = readDate(form.maintenanceStartDate);
  const interval = Number(form.maintenanceInterval);
  return start && interval > 0 ? nextDate(start, interval, form.maintenanceIntervalUnit) : null;
}

function isTooFar(form: Maintenance): boolean {
  const complete =
    readDate(form.maintenanceStartDate) !== null && Number(form.maintenanceInterval) > 0;
  return complete && plannedDate(form) === null;
}
