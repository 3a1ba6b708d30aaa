import type { Transport } from "@connectrpc/connect";
import { createInfiniteQueryOptions } from "@connectrpc/connect-query";
import { EquipmentService, HistoryOrder } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";

const pageSize = 20;

/** The company's history, by when things happened, newest first, in pages of twenty. */
export function historyQuery(transport: Transport) {
  return createInfiniteQueryOptions(
    EquipmentService.method.listHistory,
    { page: { limit: pageSize }, order: HistoryOrder.CAPTURED },
    {
      transport,
      pageParamKey: "page",
      getNextPageParam: ({ page }) =>
        page?.nextCursor ? { limit: pageSize, cursor: page.nextCursor } : undefined,
    },
  );
}
