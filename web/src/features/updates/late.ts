import { timestampDate, timestampMs } from "@bufbuild/protobuf/wkt";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { hasWrongUnit } from "./unit";

/**
 * Whether the machine's meter was read after this update was captured. Its reading is then inserted
 * at its time, and today's meter stays. In another unit, its corrected reading counts from the change
 * of the unit.
 */
export function isLate(
  { late, capturedAt, flags }: Pick<OperatorUpdate, "late" | "capturedAt" | "flags">,
  meter: Pick<Equipment, "meterReadAt" | "unitSince"> | undefined,
): boolean {
  const wrongUnit = hasWrongUnit({ flags });
  if ((late && !wrongUnit) || !capturedAt || !meter) return late;
  if (!meter.meterReadAt) return false;
  const readAt = timestampMs(meter.meterReadAt);
  const isBefore = timestampMs(capturedAt) < readAt;
  return wrongUnit && meter.unitSince
    ? isBefore && timestampMs(meter.unitSince) < readAt
    : isBefore;
}

/** When an update was captured, if its machine has changed since; null if not. */
export function capturedBeforeChange(
  { capturedAt }: Pick<OperatorUpdate, "capturedAt">,
  equipment: Pick<Equipment, "lastUpdated"> | undefined,
): Date | null {
  if (!capturedAt || !equipment?.lastUpdated) return null;
  const isChanged = timestampMs(equipment.lastUpdated) > timestampMs(capturedAt);
  return isChanged ? timestampDate(capturedAt) : null;
}
