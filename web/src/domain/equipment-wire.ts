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

export function typeWord(type: EquipmentType): TypeWord {
  switch (type) {
    case EquipmentType.VEHICLE:
      return "vehicle";
    case EquipmentType.MACHINERY:
      return "machinery";
    case EquipmentType.TOOLS:
      return "tools";
    case EquipmentType.OTHER:
    default:
      return "other";
  }
}

export const typeOnWire: Record<TypeWord, EquipmentType> = {
  vehicle: EquipmentType.VEHICLE,
  machinery: EquipmentType.MACHINERY,
  tools: EquipmentType.TOOLS,
  other: EquipmentType.OTHER,
};

export function unitWord(unit: MeterUnit): UnitWord {
  switch (unit) {
    case MeterUnit.HOURS:
      return "hours";
    case MeterUnit.MILES:
      return "miles";
    case MeterUnit.KILOMETERS:
      return "kilometers";
    case MeterUnit.NOT_APPLICABLE:
    default:
      return "n/a";
  }
}

export const unitOnWire: Record<UnitWord, MeterUnit> = {
  hours: MeterUnit.HOURS,
  miles: MeterUnit.MILES,
  kilometers: MeterUnit.KILOMETERS,
  "n/a": MeterUnit.NOT_APPLICABLE,
};

export function operationalWord(status: OperationalStatus): OperationalWord {
  switch (status) {
    case OperationalStatus.STANDING:
      return "standing";
    case OperationalStatus.IN_SHOP:
      return "in_shop";
    case OperationalStatus.OUT_OF_SERVICE:
      return "out_of_service";
    case OperationalStatus.IN_USE:
    default:
      return "in_use";
  }
}

export const operationalOnWire: Record<OperationalWord, OperationalStatus> = {
  in_use: OperationalStatus.IN_USE,
  standing: OperationalStatus.STANDING,
  in_shop: OperationalStatus.IN_SHOP,
  out_of_service: OperationalStatus.OUT_OF_SERVICE,
};

export function equipmentFuelWord(fuel: EquipmentFuel): EquipmentFuelWord {
  switch (fuel) {
    case EquipmentFuel.GASOLINE:
      return "gasoline";
    case EquipmentFuel.DIESEL:
      return "diesel";
    case EquipmentFuel.NOT_APPLICABLE:
    default:
      return "n/a";
  }
}

export const equipmentFuelOnWire: Record<EquipmentFuelWord, EquipmentFuel> = {
  gasoline: EquipmentFuel.GASOLINE,
  diesel: EquipmentFuel.DIESEL,
  "n/a": EquipmentFuel.NOT_APPLICABLE,
};

export const fuelKindOnWire: Record<FuelKindWord, FuelKind> = {
  gas: FuelKind.GAS,
  diesel: FuelKind.DIESEL,
};

export function fuelKindWord(kind: FuelKind): FuelKindWord {
  return kind === FuelKind.DIESEL ? "diesel" : "gas";
}

export function calendarUnitWord(unit: CalendarUnit): calendar.CalendarUnit {
  switch (unit) {
    case CalendarUnit.DAYS:
      return "days";
    case CalendarUnit.YEARS:
      return "years";
    case CalendarUnit.MONTHS:
    default:
      return "months";
  }
}

export const calendarUnitOnWire: Record<calendar.CalendarUnit, CalendarUnit> = {
  days: CalendarUnit.DAYS,
  months: CalendarUnit.MONTHS,
  years: CalendarUnit.YEARS,
};

export function serviceStatusWord(status: ServiceStatus): rules.ServiceStatus {
  switch (status) {
    case ServiceStatus.GOOD:
    default:
      return "good";
    case ServiceStatus.APPROACHING_SERVICE:
      return "approaching_service";
    case ServiceStatus.TIME_FOR_SERVICE:
      return "time_for_service";
    case ServiceStatus.OVERDUE:
      return "overdue";
  }
}

export const serviceStatusOnWire: Record<rules.ServiceStatus, ServiceStatus> = {
  good: ServiceStatus.GOOD,
  approaching_service: ServiceStatus.APPROACHING_SERVICE,
  time_for_service: ServiceStatus.TIME_FOR_SERVICE,
  overdue: ServiceStatus.OVERDUE,
};

export function overallStatusWord(status: OverallStatus): rules.OverallStatus {
  switch (status) {
    case OverallStatus.NORMAL:
    default:
      return "normal";
    case OverallStatus.APPROACHING:
      return "approaching";
    case OverallStatus.OVERDUE:
      return "overdue";
  }
}

export function badgeWord(badge: Badge): rules.ServiceBadge {
  switch (badge) {
    case Badge.GOOD:
    default:
      return "good";
    case Badge.APPROACHING_SERVICE:
      return "approaching_service";
    case Badge.TIME_FOR_SERVICE:
      return "time_for_service";
    case Badge.OVERDUE:
      return "overdue";
    case Badge.MAINTENANCE_SCHEDULED:
      return "maintenance_scheduled";
    case Badge.MAINTENANCE_DUE_SOON:
      return "maintenance_due_soon";
    case Badge.MAINTENANCE_OVERDUE:
      return "maintenance_overdue";
  }
}
