import type { Transport } from "@connectrpc/connect";
import { createQueryOptions } from "@connectrpc/connect-query";
import { EquipmentService } from "./gen/hourmeter/equipment/v1/equipment_pb";

/** How much equipment there is, in all and by service status, and how much the plan allows. */
export function equipmentSummaryQuery(transport: Transport) {
  return createQueryOptions(EquipmentService.method.getSummary, {}, { transport });
}
