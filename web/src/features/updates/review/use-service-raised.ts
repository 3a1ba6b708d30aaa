import { useQuery } from "@connectrpc/connect-query";
import {
  EquipmentService,
  HistoryOrder,
  type Equipment,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { dayIn } from "#/domain/calendar";
import { maxPerRequest } from "../queries";
import { capturedBeforeChange } from "../late";
import { hasWrongUnit } from "../unit";
import { serviceRaised } from "./service-raised";

const dayMs = 86_400_000;

/** The day of the service that would count from a higher meter if an update were applied. */
export function useServiceRaised(
  update: OperatorUpdate,
  equipment: Equipment | undefined,
): string | undefined {
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
  return captured && equipment && data
    ? serviceRaised(update, equipment, captured, data.records)
    : undefined;
}
