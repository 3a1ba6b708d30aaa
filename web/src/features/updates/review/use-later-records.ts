import { useQuery } from "@connectrpc/connect-query";
import {
  EquipmentService,
  HistoryOrder,
  type Equipment,
  type HistoryRecord,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { dayIn } from "#/domain/calendar";
import { maxPerRequest } from "../queries";
import { capturedBeforeChange } from "../late";
import { laterRecords } from "../later-records";
import { hasWrongUnit } from "../unit";

const dayMs = 86_400_000;

/** See `laterRecords`. Undefined: not known, or the machine has not changed since. */
export function useLaterRecords(
  update: OperatorUpdate,
  equipment: Equipment | undefined,
): HistoryRecord[] | undefined {
  const hasUsage = (update.newUsage ?? update.usageIncrease) !== undefined;
  const captured =
    hasUsage && !hasWrongUnit(update) ? capturedBeforeChange(update, equipment) : null;
  const { data } = useQuery(
    EquipmentService.method.listHistory,
    {
      equipmentId: update.equipmentId,
      order: HistoryOrder.CAPTURED,
      // The company's day of the capture may be the day before in UTC.
      from: captured ? dayIn("UTC", new Date(captured.getTime() - dayMs)) : "",
      page: { limit: maxPerRequest },
    },
    { enabled: captured !== null },
  );
  return captured && data ? laterRecords(captured, data.records) : undefined;
}
