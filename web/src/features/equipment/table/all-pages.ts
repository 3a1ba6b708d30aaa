import type { Transport } from "@connectrpc/connect";
import { callUnaryMethod } from "@connectrpc/connect-query";
import { queryOptions } from "@tanstack/react-query";
import { callKey } from "#/api/call-key";
import {
  EquipmentOrder,
  EquipmentService,
  type Equipment,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { EquipmentFilter } from "#/domain/equipment-filter";
import { byUrgency, equipmentRequest, unique, type PageOrder } from "./equipment-pages";

/** The server's largest page; with up to 51 tasks each, a page may have 100 machines. */
const pageSizes = { plain: 500, withTasks: 100 };

/** All matching equipment, for exports. */
export async function allPages(
  transport: Transport,
  filter: EquipmentFilter,
  order: PageOrder = byUrgency,
  { withTasks = false } = {},
): Promise<Equipment[]> {
  const rows: Equipment[] = [];
  let cursor = "";
  do {
    const answer = await callUnaryMethod(transport, EquipmentService.method.listEquipment, {
      ...equipmentRequest(filter, order),
      withTasks,
      page: { limit: withTasks ? pageSizes.withTasks : pageSizes.plain, cursor },
    });
    rows.push(...answer.equipment);
    cursor = answer.page?.nextCursor ?? "";
  } while (cursor);
  return unique(rows);
}

/** All machines that match, by name. */
export function machinesQuery(
  transport: Transport,
  filter: Pick<EquipmentFilter, "type" | "group">,
) {
  return queryOptions({
    queryKey: callKey(EquipmentService.method.listEquipment, { all: true, ...filter }),
    queryFn: () => allPages(transport, filter, { order: EquipmentOrder.NAME }),
  });
}
