import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";

/**
 * Whether the machine's meter was read after this update was captured. Its reading is then inserted
 * at its time, and today's meter stays.
 */
export function isLate(
  { late, capturedAt }: Pick<OperatorUpdate, "late" | "capturedAt">,
  meter: Pick<Equipment, "meterReadAt"> | undefined,
): boolean {
  if (late || !capturedAt || !meter?.meterReadAt) return late;
  return timestampMs(capturedAt) < timestampMs(meter.meterReadAt);
}
