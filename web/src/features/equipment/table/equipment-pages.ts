import type { Transport } from "@connectrpc/connect";
import { callUnaryMethod, useTransport } from "@connectrpc/connect-query";
import { infiniteQueryOptions, keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";
import { useCallback, useMemo } from "react";
import { callKey } from "#/api/call-key";
import {
  EquipmentOrder,
  EquipmentService,
  type Equipment,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { statusOfFilter, type EquipmentFilter } from "#/domain/equipment-filter";
import { operationalOnWire, serviceStatusOnWire, typeOnWire } from "#/domain/equipment-wire";

const { listEquipment } = EquipmentService.method;

export interface PageOrder {
  order: EquipmentOrder;
  descending?: boolean;
}

/** Overdue first. */
export const byUrgency: PageOrder = { order: EquipmentOrder.URGENCY };

const backMs = 5 * 60_000;
const pageSize = 100;

/** The request for matching equipment, without its page. */
export function equipmentRequest(
  filter: EquipmentFilter,
  { order, descending = false }: PageOrder,
) {
  return {
    ...(filter.status ? { status: serviceStatusOnWire[statusOfFilter[filter.status]] } : {}),
    ...(filter.type ? { type: typeOnWire[filter.type] } : {}),
    ...(filter.stale ? { stale: true } : {}),
    ...(filter.operational ? { operationalStatus: operationalOnWire[filter.operational] } : {}),
    ...(filter.due === undefined ? {} : { dueWithinDays: filter.due }),
    ...(filter.group === undefined ? {} : { group: filter.group }),
    search: filter.search?.trim() ?? "",
    order,
    descending,
  };
}

/** The matching equipment in pages of a hundred; the server filters and sorts. */
export function equipmentPagesQuery(
  transport: Transport,
  filter: EquipmentFilter,
  order: PageOrder,
) {
  const input = equipmentRequest(filter, order);
  return infiniteQueryOptions({
    queryKey: callKey(listEquipment, input),
    queryFn: ({ pageParam: cursor, signal }) => {
      const page = { limit: pageSize, cursor };
      return callUnaryMethod(transport, listEquipment, { ...input, page }, { signal });
    },
    initialPageParam: "",
    getNextPageParam: ({ page }) => page?.nextCursor || undefined,
  });
}

/** The pages as one list. The previous rows stay until those of the new filter are loaded. */
export function useEquipmentPages(filter: EquipmentFilter, order: PageOrder = byUrgency) {
  const query = useInfiniteQuery({
    ...equipmentPagesQuery(useTransport(), filter, order),
    placeholderData: keepPreviousData,
    // On the way back from a machine, the list has its length and position at once.
    gcTime: backMs,
  });
  const { data, hasNextPage, isFetching, isError, fetchNextPage } = query;
  const rows = useMemo(
    () => unique(data?.pages.flatMap((page) => page.equipment) ?? []),
    [data?.pages],
  );
  const more = useCallback(() => {
    // After a failure, the user retries; scrolling does not.
    if (hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [hasNextPage, isFetching, isError, fetchNextPage]);
  return {
    query,
    /** Undefined until the first page is loaded. */
    rows: data && rows,
    /** The total number of matches. */
    matching: data?.pages[0]?.matching ?? rows.length,
    more,
  };
}

/** A row that moves between two requests may come twice. */
export function unique(rows: readonly Equipment[]): Equipment[] {
  return [...new Map(rows.map((row) => [row.id, row])).values()];
}
