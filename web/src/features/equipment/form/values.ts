import type { MessageInitShape } from "@bufbuild/protobuf";
import type {
  Equipment,
  EquipmentInputSchema,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { equipmentTypes } from "#/domain/equipment-types";
import {
  calendarUnitOnWire,
  calendarUnitWord,
  equipmentFuelOnWire,
  equipmentFuelWord,
  operationalOnWire,
  operationalWord,
  typeOnWire,
  typeWord,
  unitOnWire,
  unitWord,
} from "#/domain/equipment-wire";
import { alertThresholds, meterUnits } from "#/domain/equipment-words";
import { parseDecimal } from "#/shared/form/decimal";
import type { EquipmentValues } from "./schema";

type Input = MessageInitShape<typeof EquipmentInputSchema>;

export const blankPart = { part: "", partNumber: "", quantity: "" };

export const blankValues: EquipmentValues = {
  name: "",
  type: "",
  unitNumber: "",
  serialNumber: "",
  group: "",
  operationalStatus: "in_use",
  unit: "",
  fuel: "n/a",
  currentUsage: "",
  threshold: "",
  alertThreshold: "20",
  serviceInterval: "",
  lastServiceUsage: "",
  hasScheduledMaintenance: false,
  maintenanceStartDate: "",
  maintenanceInterval: "",
  maintenanceIntervalUnit: "months",
  serviceParts: [blankPart],
  description: "",
};

export function valuesOf(equipment: Equipment): EquipmentValues {
  const alert = String(equipment.alertThreshold);
  const parts = equipment.serviceParts.map((row) => ({
    part: row.part,
    partNumber: row.partNumber ?? "",
    quantity: row.quantity === undefined ? "" : String(row.quantity),
  }));
  return {
    name: equipment.name,
    type: typeWord(equipment.type),
    unitNumber: equipment.unitNumber ?? "",
    serialNumber: equipment.serialNumber ?? "",
    group: equipment.group ?? "",
    operationalStatus: operationalWord(equipment.operationalStatus),
    unit: unitWord(equipment.unit),
    fuel: equipmentFuelWord(equipment.fuel),
    // What the current meter shows.
    currentUsage: String(equipment.meterReading),
    threshold: equipment.threshold === undefined ? "" : String(equipment.threshold),
    alertThreshold: alertThresholds.find((value) => value === alert) ?? "20",
    serviceInterval: equipment.serviceInterval > 0 ? String(equipment.serviceInterval) : "",
    lastServiceUsage:
      equipment.lastServiceUsage === undefined ? "" : String(equipment.lastServiceUsage),
    hasScheduledMaintenance: equipment.hasScheduledMaintenance,
    maintenanceStartDate: equipment.maintenanceStartDate,
    maintenanceInterval:
      equipment.maintenanceInterval > 0 ? String(equipment.maintenanceInterval) : "",
    maintenanceIntervalUnit: calendarUnitWord(equipment.maintenanceIntervalUnit),
    serviceParts: parts.length > 0 ? parts : [blankPart],
    description: equipment.description,
  };
}

/** A new machine like this one: numbers of its own, and not used yet. */
export function valuesOfCopy(equipment: Equipment, name: string, today: string): EquipmentValues {
  const values = valuesOf(equipment);
  return {
    ...values,
    name,
    unitNumber: "",
    serialNumber: "",
    operationalStatus: "in_use",
    currentUsage: "",
    lastServiceUsage: "",
    maintenanceStartDate: values.hasScheduledMaintenance ? today : "",
  };
}

/** For new equipment; blank quantities use their defaults. */
export function toCreateInput(values: EquipmentValues): Input {
  const { serviceParts, ...input } = toInput(values);
  const last = parseDecimal(values.lastServiceUsage);
  return {
    ...input,
    // An interval without a last service counts from the current usage.
    lastServiceUsage: last ?? (input.serviceInterval ? input.currentUsage : undefined),
    // Without parts entry, the server refuses the field even if it is empty.
    ...(serviceParts.parts.length > 0 ? { serviceParts } : {}),
  };
}

const measured = new Set(["currentUsage", "threshold", "serviceInterval", "lastServiceUsage"]);

/**
 * Only changed fields, so that an untouched field does not overwrite someone else's correction. The
 * usage in the form is what the meter shows, which differs from life-to-date usage after a meter
 * was replaced.
 */
export function toUpdateInput(before: EquipmentValues, after: EquipmentValues): Input {
  const old: Record<string, unknown> = toInput(before);
  // In another unit, equal numbers mean something else.
  const remeasured = before.unit !== after.unit && ![before.unit, after.unit].includes("n/a");
  const changed = Object.entries(toInput(after)).filter(
    ([name, value]) =>
      (remeasured && measured.has(name)) || JSON.stringify(value) !== JSON.stringify(old[name]),
  );
  const renamed = changed.map(([name, value]) =>
    name === "currentUsage" ? ["meterReading", value] : [name, value],
  );
  return Object.fromEntries(renamed);
}

export function toInput(values: EquipmentValues) {
  const scheduled = values.hasScheduledMaintenance;
  const type = equipmentTypes.find((word) => word === values.type) ?? "other";
  const unit = meterUnits.find((word) => word === values.unit) ?? "n/a";
  return {
    name: values.name.trim(),
    type: typeOnWire[type],
    unitNumber: values.unitNumber.trim(),
    serialNumber: values.serialNumber.trim(),
    group: values.group.trim(),
    operationalStatus: operationalOnWire[values.operationalStatus],
    unit: unitOnWire[unit],
    currentUsage: parseDecimal(values.currentUsage) ?? 0,
    threshold: parseDecimal(values.threshold) ?? 0,
    fuel: equipmentFuelOnWire[values.fuel],
    alertThreshold: Number(values.alertThreshold),
    serviceInterval: parseDecimal(values.serviceInterval) ?? 0,
    lastServiceUsage: parseDecimal(values.lastServiceUsage) ?? 0,
    hasScheduledMaintenance: scheduled,
    maintenanceStartDate: scheduled ? values.maintenanceStartDate : "",
    maintenanceInterval: scheduled ? Number(values.maintenanceInterval) : 0,
    maintenanceIntervalUnit: calendarUnitOnWire[values.maintenanceIntervalUnit],
    serviceParts: { parts: values.serviceParts.flatMap(toPart) },
    description: values.description.trim(),
  };
}

/** Rows with a blank part are dropped. */
function toPart(row: EquipmentValues["serviceParts"][number]) {
  const part = row.part.trim();
  const partNumber = row.partNumber.trim();
  const quantity = parseDecimal(row.quantity);
  if (part === "") return [];
  return [
    { part, ...(partNumber ? { partNumber } : {}), ...(quantity === null ? {} : { quantity }) },
  ];
}
