import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { useAddedSince } from "#/shared/use-added-since";
import { meterDifference } from "#/shared/words/meter-text";
import { hasWrongUnit } from "../unit";
import { capturedBeforeChange, isLate } from "../late";

/**
 * What the meter showed when an update was captured, without what was added since. Undefined while
 * that is not known, for a late update, without usage and for another unit.
 */
export function useMeterBefore(
  update: OperatorUpdate,
  equipment: Equipment | undefined,
): number | undefined {
  const { newUsage, usageIncrease, previousUsage } = update;
  const hasUsage = (newUsage ?? usageIncrease) !== undefined;
  const compares = hasUsage && !isLate(update, equipment) && !hasWrongUnit(update);
  const since = compares ? capturedBeforeChange(update, equipment) : null;
  const added = useAddedSince(update.equipmentId, since);
  if (!compares) return undefined;
  if (!equipment) return previousUsage;
  return added === undefined ? undefined : meterDifference(added, equipment.meterReading);
}
