import type { Transport } from "@connectrpc/connect";
import { queryOptions } from "@tanstack/react-query";
import { callKey } from "#/api/call-key";
import { EquipmentOrder, EquipmentService } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { TypeWord } from "#/domain/equipment-types";
import { allPages } from "../table/equipment-pages";

/** All machines, or those of a type, by name. */
export function machinesQuery(transport: Transport, type: TypeWord | undefined) {
  return queryOptions({
    queryKey: callKey(EquipmentService.method.listEquipment, { all: true, type }),
    queryFn: () => allPages(transport, { type }, { order: EquipmentOrder.NAME }),
  });
}
