import type { Transport } from "@connectrpc/connect";
import { queryOptions } from "@tanstack/react-query";
import { callKey } from "#/api/call-key";
import { EquipmentOrder, EquipmentService } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { allPages } from "../table/all-pages";

export const byDue = { order: EquipmentOrder.DUE };

/** All equipment by projected due date, with all tasks. */
export function outlookQuery(transport: Transport) {
  return queryOptions({
    queryKey: callKey(EquipmentService.method.listEquipment, { ...byDue, withTasks: true }),
    queryFn: () => allPages(transport, {}, byDue, { withTasks: true }),
  });
}
