import { useInfiniteQuery, useQuery } from "@connectrpc/connect-query";
import { toFailure } from "#/api/errors";
import { EquipmentService, type Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { OperatorUpdatesService } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";

const pageSize = 10;

/** All equipment by name. */
export function useEquipment() {
  return useQuery(EquipmentService.method.listEquipment, {});
}

/** The operator's own submissions, newest first; the server answers no one else's. */
export function useOwnUpdates() {
  return useInfiniteQuery(
    OperatorUpdatesService.method.listUpdates,
    { page: { limit: pageSize, cursor: "" } },
    {
      pageParamKey: "page",
      getNextPageParam: ({ page }) =>
        page?.nextCursor ? { limit: pageSize, cursor: page.nextCursor } : undefined,
      staleTime: 0,
      refetchOnMount: "always",
      retry: (failures, error) => failures < 2 && toFailure(error).status !== 401,
    },
  );
}

/** Used lately first: ids of what the newest submissions were about, each once, while it exists. */
export function recentlyUsed(
  equipment: readonly Equipment[],
  newestFirst: readonly string[],
  most = 4,
): Equipment[] {
  const byId = new Map(equipment.map((each) => [each.id, each]));
  return [...new Set(newestFirst)].flatMap((id) => byId.get(id) ?? []).slice(0, most);
}
