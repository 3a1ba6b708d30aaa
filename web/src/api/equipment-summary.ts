import type { Transport } from "@connectrpc/connect";
import { callUnaryMethod } from "@connectrpc/connect-query";
import { queryOptions } from "@tanstack/react-query";
import { callKey } from "./call-key";
import { EquipmentService } from "./gen/hourmeter/equipment/v1/equipment_pb";

const { getSummary } = EquipmentService.method;

/** The number of machines, in total and by service status, and the plan's limit. */
export function equipmentSummaryQuery(transport: Transport) {
  return queryOptions({
    queryKey: callKey(getSummary, {}),
    queryFn: ({ signal }) => callUnaryMethod(transport, getSummary, {}, { signal }),
  });
}
