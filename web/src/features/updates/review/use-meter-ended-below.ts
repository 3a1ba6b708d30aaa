import { timestampMs } from "@bufbuild/protobuf/wkt";
import { useQuery } from "@connectrpc/connect-query";
import {
  EquipmentService,
  type Equipment,
  type MeterSegment,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { hasEarlierMeters } from "#/domain/dial";
import { hasWrongUnit } from "../unit";
import { isLate } from "../late";

/**
 * The meter in use when an update was captured, if it ended below the update's reading. The server
 * refuses to apply such a reading.
 */
export function useMeterEndedBelow(
  update: OperatorUpdate,
  equipment: Equipment | undefined,
): MeterSegment | undefined {
  const { equipmentId, newUsage, capturedAt } = update;
  const isAsked =
    update.flags.includes("contradicts") &&
    newUsage !== undefined &&
    equipment !== undefined &&
    hasEarlierMeters(equipment) &&
    isLate(update, equipment) &&
    !hasWrongUnit(update);
  const { data } = useQuery(
    EquipmentService.method.listMeterSegments,
    { equipmentId },
    { enabled: isAsked },
  );
  if (!isAsked || !capturedAt) return undefined;
  // Newest first.
  const used = data?.segments.findLast(
    ({ endedAt }) => endedAt && timestampMs(endedAt) >= timestampMs(capturedAt),
  );
  return used && newUsage > used.endReading ? used : undefined;
}
