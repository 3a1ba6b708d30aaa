import { timestampMs } from "@bufbuild/protobuf/wkt";
import { createConnectQueryKey, useQuery, useTransport } from "@connectrpc/connect-query";
import { useQueryClient } from "@tanstack/react-query";
import {
  EquipmentService,
  type Equipment,
  type MeterSegment,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { hasEarlierMeters } from "#/domain/dial";
import { hasWrongUnit } from "../unit";
import { isLate } from "../late";

const { listMeterSegments } = EquipmentService.method;

/**
 * The meter in use when an update was captured, if it ended below the update's reading. The server
 * refuses to apply such a reading.
 */
export function useMeterEndedBelow(
  update: OperatorUpdate,
  equipment: Equipment | undefined,
): MeterSegment | undefined {
  const { equipmentId } = update;
  const enabled = mayBeAboveEnd(update, equipment);
  const { data } = useQuery(listMeterSegments, { equipmentId }, { enabled });
  return enabled ? meterEndedBelow(update, data?.segments) : undefined;
}

/** The same for the updates of shown rows, which have loaded the meters. */
export function useIsAboveEnd() {
  const client = useQueryClient();
  const transport = useTransport();
  return (update: OperatorUpdate, equipment: Equipment | undefined): boolean => {
    if (!mayBeAboveEnd(update, equipment)) return false;
    const input = { equipmentId: update.equipmentId };
    const queryKey = createConnectQueryKey({
      schema: listMeterSegments,
      transport,
      input,
      cardinality: "finite",
    });
    return meterEndedBelow(update, client.getQueryData(queryKey)?.segments) !== undefined;
  };
}

function mayBeAboveEnd(update: OperatorUpdate, equipment: Equipment | undefined): boolean {
  return (
    update.flags.includes("contradicts") &&
    update.newUsage !== undefined &&
    equipment !== undefined &&
    hasEarlierMeters(equipment) &&
    isLate(update, equipment) &&
    !hasWrongUnit(update)
  );
}

function meterEndedBelow(
  { newUsage, capturedAt }: OperatorUpdate,
  segments: readonly MeterSegment[] | undefined,
): MeterSegment | undefined {
  if (newUsage === undefined || !capturedAt) return undefined;
  // Newest first.
  const used = segments?.findLast(
    ({ endedAt }) => endedAt && timestampMs(endedAt) >= timestampMs(capturedAt),
  );
  return used && newUsage > used.endReading ? used : undefined;
}
