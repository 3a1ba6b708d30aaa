import { timestampDate } from "@bufbuild/protobuf/wkt";
import {
  MeterUnit,
  type Equipment,
  type Meter,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { equipmentFuelWord, fuelKindWord, unitWord } from "#/domain/equipment-wire";
import type { CheckedEntry, CheckedMeter } from "#/domain/reading-check";

type MeterFields = "unit" | "fuel" | "meterReading" | "meterReadAt" | "usualDailyUse" | "usualFill";

export function checkedMeter(meter: Pick<Equipment, MeterFields> | Meter): CheckedMeter {
  return {
    unit: unitWord(meter.unit),
    fuel: equipmentFuelWord(meter.fuel),
    meterReading: meter.meterReading,
    meterReadAt: meter.meterReadAt ? timestampDate(meter.meterReadAt) : null,
    usualDailyUse: meter.usualDailyUse ?? null,
    usualFill: meter.usualFill ?? null,
  };
}

export function checkedEntry(update: OperatorUpdate): CheckedEntry {
  return {
    reading: update.newUsage ?? null,
    increase: update.usageIncrease ?? null,
    ...(update.unit !== MeterUnit.UNSPECIFIED && { unit: unitWord(update.unit) }),
    fuelAdded: update.fuelAdded,
    fuelType: fuelKindWord(update.fuelKind),
    capturedAt: update.capturedAt ? timestampDate(update.capturedAt) : new Date(),
    repeatedSecondsAgo: null,
  };
}
