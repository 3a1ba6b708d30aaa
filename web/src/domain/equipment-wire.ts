import {
  Badge,
  CalendarUnit,
  EquipmentFuel,
  EquipmentType,
  FuelKind,
  MeterUnit,
  OperationalStatus,
  OverallStatus,
  ServiceStatus,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type * as calendar from "./calendar";
import type { TypeWord } from "./equipment-types";
import type { EquipmentFuelWord, FuelKindWord, OperationalWord, UnitWord } from "./equipment-words";
import type * as rules from "./service-status";

/** Returns `unknown` for a value that this release does not know. */
function wordOf<Word extends string, Wire>(
  onWire: Record<Word, Wire>,
  wire: Wire,
  unknown: Word,
): Word {
  for (const word in onWire) if (onWire[word] === wire) return word;
  return unknown;
}

export const typeOnWire: Record<TypeWord, EquipmentType> = {
  vehicle: EquipmentType.VEHICLE,
  machinery: EquipmentType.MACHINERY,
  tools: EquipmentType.TOOLS,
  other: EquipmentType.OTHER,
};

export const typeWord = (type: EquipmentType) => wordOf(typeOnWire, type, "other");

export const unitOnWire: Record<UnitWord, MeterUnit> = {
  hours: MeterUnit.HOURS,
  miles: MeterUnit.MILES,
  kilometers: MeterUnit.KILOMETERS,
  "n/a": MeterUnit.NOT_APPLICABLE,
};

export const unitWord = (unit: MeterUnit) => wordOf(unitOnWire, unit, "n/a");

export const operationalOnWire: Record<OperationalWord, OperationalStatus> = {
  in_use: OperationalStatus.IN_USE,
  standing: OperationalStatus.STANDING,
  in_shop: OperationalStatus.IN_SHOP,
  out_of_service: OperationalStatus.OUT_OF_SERVICE,
};

export const operationalWord = (status: OperationalStatus) =>
  wordOf(operationalOnWire, status, "in_use");

export const equipmentFuelOnWire: Record<EquipmentFuelWord, EquipmentFuel> = {
  gasoline: EquipmentFuel.GASOLINE,
  diesel: EquipmentFuel.DIESEL,
  "n/a": EquipmentFuel.NOT_APPLICABLE,
};

export const equipmentFuelWord = (fuel: EquipmentFuel) => wordOf(equipmentFuelOnWire, fuel, "n/a");

export const fuelKindOnWire: Record<FuelKindWord, FuelKind> = {
  gas: FuelKind.GAS,
  diesel: FuelKind.DIESEL,
};

export const fuelKindWord = (kind: FuelKind) => wordOf(fuelKindOnWire, kind, "gas");

export const calendarUnitOnWire: Record<calendar.CalendarUnit, CalendarUnit> = {
  days: CalendarUnit.DAYS,
  months: CalendarUnit.MONTHS,
  years: CalendarUnit.YEARS,
};

export const calendarUnitWord = (unit: CalendarUnit) => wordOf(calendarUnitOnWire, unit, "months");

export const serviceStatusOnWire: Record<rules.ServiceStatus, ServiceStatus> = {
  good: ServiceStatus.GOOD,
  approaching_service: ServiceStatus.APPROACHING_SERVICE,
  time_for_service: ServiceStatus.TIME_FOR_SERVICE,
  overdue: ServiceStatus.OVERDUE,
};

export const serviceStatusWord = (status: ServiceStatus) =>
  wordOf(serviceStatusOnWire, status, "good");

const overallStatusOnWire: Record<rules.OverallStatus, OverallStatus> = {
  normal: OverallStatus.NORMAL,
  approaching: OverallStatus.APPROACHING,
  overdue: OverallStatus.OVERDUE,
};

export const overallStatusWord = (status: OverallStatus) =>
  wordOf(overallStatusOnWire, status, "normal");

const badgeOnWire: Record<rules.ServiceBadge, Badge> = {
  good: Badge.GOOD,
  approaching_service: Badge.APPROACHING_SERVICE,
  time_for_service: Badge.TIME_FOR_SERVICE,
  overdue: Badge.OVERDUE,
  maintenance_scheduled: Badge.MAINTENANCE_SCHEDULED,
  maintenance_due_soon: Badge.MAINTENANCE_DUE_SOON,
  maintenance_overdue: Badge.MAINTENANCE_OVERDUE,
};

export const badgeWord = (badge: Badge) => wordOf(badgeOnWire, badge, "good");
