import type { Transport } from "@connectrpc/connect";
import { queryOptions } from "@tanstack/react-query";
import { callKey } from "#/api/call-key";
import { EquipmentOrder, EquipmentService } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { EquipmentFilter } from "#/domain/equipment-filter";
import { allPages } from "../table/all-pages";

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
