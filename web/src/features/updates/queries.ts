import { useInfiniteQuery, useQuery } from "@connectrpc/connect-query";
import { keepPreviousData } from "@tanstack/react-query";
import { useMemo } from "react";
import { toFailure } from "#/api/errors";
import { EquipmentService } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import {
  OperatorUpdatesService,
  UpdateStatus,
  type OperatorUpdate,
} from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";

const { listUpdates } = OperatorUpdatesService.method;

/** Operator updates are refetched on mount, stale at once and tried two more times (section 7). */
const policy = {
  staleTime: 0,
  refetchOnMount: "always",
  retry: (failures: number, error: unknown) => failures < 2 && toFailure(error).status !== 401,
} as const;

function useUpdates(statuses: UpdateStatus[], limit: number) {
  return useInfiniteQuery(
    listUpdates,
    { statuses, page: { limit, cursor: "" } },
    {
      ...policy,
      pageParamKey: "page",
      getNextPageParam: ({ page }) =>
        page?.nextCursor ? { limit, cursor: page.nextCursor } : undefined,
    },
  );
}

export type UpdatesQuery = ReturnType<typeof useUpdates>;

export function usePendingUpdates(): UpdatesQuery {
  return useUpdates([UpdateStatus.PENDING], 50);
}

/** What took effect: applied by a manager, or by itself and not yet seen. */
export function useRecentUpdates(): UpdatesQuery {
  return useUpdates([UpdateStatus.APPLIED, UpdateStatus.RECENT], 6);
}

export function rowsOf(query: UpdatesQuery): OperatorUpdate[] {
  return query.data?.pages.flatMap((page) => page.updates) ?? [];
}

/** How many updates wait for review; undefined until it is known. For the navigation's badge. */
export function usePendingCount(): number | undefined {
  const { data } = useQuery(
    listUpdates,
    { statuses: [UpdateStatus.PENDING], page: { limit: 1 } },
    policy,
  );
  return data?.pendingCount;
}

/** As many as one request takes. */
const mostEquipment = 500;

/** The equipment that these updates are about. One that is gone is not in it. */
export function useEquipmentById(updates: readonly OperatorUpdate[]) {
  const ids = [...new Set(updates.map((update) => update.equipmentId))].sort();
  const { data } = useQuery(
    EquipmentService.method.listEquipment,
    { ids: ids.slice(0, mostEquipment) },
    { enabled: ids.length > 0, placeholderData: keepPreviousData },
  );
  return useMemo(
    () => new Map((data?.equipment ?? []).map((equipment) => [equipment.id, equipment])),
    [data],
  );
}

export type EquipmentById = ReturnType<typeof useEquipmentById>;
