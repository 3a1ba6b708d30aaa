import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Meter } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { unitWord } from "#/domain/equipment-wire";
import { plainText } from "#/domain/names";
import { checkReading } from "#/domain/reading-check";

const maxSuggested = 4;

/** Other machines whose meter the reading plausibly continues, smallest increase first. */
export function fitting(meters: readonly Meter[], update: OperatorUpdate): Meter[] {
  const { newUsage, capturedAt } = update;
  if (newUsage === undefined || !capturedAt) return [];
  const entry = {
    reading: newUsage,
    fuelAdded: update.fuelAdded,
    capturedAt: timestampDate(capturedAt),
    repeatedSecondsAgo: null,
  };
  return meters
    .filter((meter) => {
      if (meter.equipmentId === update.equipmentId || !meter.meterReadAt) return false;
      const { late, flags } = checkReading(
        {
          unit: unitWord(meter.unit),
          meterReading: meter.meterReading,
          meterReadAt: timestampDate(meter.meterReadAt),
          usualDailyUse: meter.usualDailyUse ?? null,
          usualFill: meter.usualFill ?? null,
        },
        entry,
      );
      return !late && flags.length === 0;
    })
    .toSorted((one, other) => other.meterReading - one.meterReading)
    .slice(0, maxSuggested);
}

/** By name, unit number, serial number or VIN. */
export function searched(
  meters: readonly Meter[],
  update: OperatorUpdate,
  search: string,
): Meter[] {
  const part = plainText(search.trim());
  return meters.filter(
    (meter) =>
      meter.equipmentId !== update.equipmentId &&
      [meter.name, meter.unitNumber ?? "", meter.serialNumber ?? ""].some((text) =>
        plainText(text).includes(part),
      ),
  );
}
