import type { Meter } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { plainText } from "#/domain/names";
import { checkReading } from "#/domain/reading-check";
import { checkedEntry, checkedMeter } from "./checked";

const maxSuggested = 4;

/** Other machines whose meter the reading plausibly continues, smallest increase first. */
export function fitting(meters: readonly Meter[], update: OperatorUpdate): Meter[] {
  if (update.newUsage === undefined) return [];
  return meters
    .filter((meter) => {
      if (meter.equipmentId === update.equipmentId || !meter.meterReadAt) return false;
      const { late, flags } = checkOn(meter, update);
      return !late && flags.length === 0;
    })
    .toSorted((one, other) => other.meterReading - one.meterReading)
    .slice(0, maxSuggested);
}

export interface Mismatch {
  unit: boolean;
  fuel: boolean;
}

/** What does not match the machine, so that the update waits for a decision there. */
export function mismatch(meter: Meter, update: OperatorUpdate): Mismatch {
  const { flags } = checkOn(meter, update);
  return { unit: flags.includes("wrong_unit"), fuel: flags.includes("wrong_fuel") };
}

/** Machines that match first, those in another unit last. */
export function matchingFirst(meters: readonly Meter[], update: OperatorUpdate): Meter[] {
  const rank = (meter: Meter) => {
    const { unit, fuel } = mismatch(meter, update);
    return (unit ? 2 : 0) + (fuel ? 1 : 0);
  };
  return meters.toSorted((one, other) => rank(one) - rank(other));
}

function checkOn(meter: Meter, update: OperatorUpdate) {
  return checkReading(checkedMeter(meter), checkedEntry(update));
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
