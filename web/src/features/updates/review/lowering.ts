import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { meterDifference } from "#/shared/words/meter-text";
import { isLate } from "../late";

/** The meter that a reading of this update would set back; null if it does not. */
export function meterAbove(
  update: OperatorUpdate,
  equipment: Equipment | undefined,
  reading: number,
): number | null {
  // A late reading is inserted at its time; today's meter stays.
  if (isLate(update, equipment)) return null;
  const meter = equipment?.meterReading ?? update.previousUsage;
  return meter !== undefined && reading < meter ? meter : null;
}

/** The meter once it is set back to a reading. `before`: see `useMeterBefore`. */
export function meterAfter(
  reading: number,
  before: number | undefined,
  equipment: Equipment | undefined,
): number {
  if (before === undefined || !equipment) return reading;
  return meterDifference(meterDifference(reading, before), equipment.meterReading);
}
