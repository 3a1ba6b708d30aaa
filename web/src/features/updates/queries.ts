import type { Transport } from "@connectrpc/connect";
import {
  createQueryOptions,
  useInfiniteQuery,
  useQuery as useCall,
  useTransport,
} from "@connectrpc/connect-query";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import {
  EquipmentSchema,
  EquipmentService,
  type Equipment,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import {
  OperatorUpdateSchema,
  OperatorUpdatesService,
  UpdateStatus,
  type OperatorUpdate,
} from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { policy } from "./pending";
import { useHeldWhilePressed } from "./use-held-while-pressed";
import { useStableItems } from "./use-stable-items";

const { listReview, listUpdates } = OperatorUpdatesService.method;

/** The server's limit of rows per request. */
export const maxPerRequest = 500;
/** Bulk requests are slow on a slow connection; an early timeout would hide their outcome. */
const bulkTimeoutMs = 60_000;

export function useBulkTransport(): Transport {
  const transport = useTransport();
  return {
    ...transport,
    unary: (method, signal, _, ...call) => transport.unary(method, signal, bulkTimeoutMs, ...call),
  };
}

export function reviewQuery(transport: Transport, limit = maxPerRequest) {
  return { ...createQueryOptions(listReview, { limit }, { transport }), ...policy };
}

/** What waits for review: machines with flagged updates first. */
export function useReviewQuery(limit = maxPerRequest) {
  const query = useQuery(reviewQuery(useTransport(), limit));
  const review = useHeldWhilePressed(query.data);
  const updates = useStableItems(OperatorUpdateSchema, review?.updates ?? nothing);
  return { query, review, updates };
}

const nothing: OperatorUpdate[] = [];

/** The updates in these states, in pages: newest first, or with the last decision first. */
export function useUpdatePages(statuses: UpdateStatus[], limit: number, byDecision = false) {
  return useInfiniteQuery(
    listUpdates,
    { statuses, byDecision, page: { limit, cursor: "" } },
    {
      ...policy,
      pageParamKey: "page",
      getNextPageParam: ({ page }) =>
        page?.nextCursor ? { limit, cursor: page.nextCursor } : undefined,
    },
  );
}

const recentPage = 6;

/** Applied by a manager, or applied automatically and not acknowledged yet. */
export const useRecentUpdates = () =>
  useUpdatePages([UpdateStatus.APPLIED, UpdateStatus.RECENT], recentPage);

export type UpdatePages = ReturnType<typeof useUpdatePages>;

export function rowsOf(query: UpdatePages): OperatorUpdate[] {
  return query.data?.pages.flatMap((page) => page.updates) ?? [];
}

const none: Equipment[] = [];

/** The equipment of these updates, without deleted equipment. */
export function useEquipmentById(updates: readonly OperatorUpdate[]) {
  const ids = [...new Set(updates.map((update) => update.equipmentId))].sort();
  const { data, isError, isPlaceholderData } = useCall(
    EquipmentService.method.listEquipment,
    { ids: ids.slice(0, maxPerRequest) },
    { enabled: ids.length > 0, placeholderData: keepPreviousData },
  );
  const found = useStableItems(EquipmentSchema, data?.equipment ?? none);
  const isLoaded = data !== undefined || isError;
  // While new data is loading, the previous data lacks machines that were added since.
  const requested = data && !isPlaceholderData ? ids.slice(0, maxPerRequest).join() : "";
  return useMemo(() => {
    if (!isLoaded) return undefined;
    const byId = new Map(found.map((equipment) => [equipment.id, equipment]));
    const requestedIds = new Set(requested.split(","));
    return {
      get: (id: string) => byId.get(id),
      has: (id: string) => byId.has(id),
      /** It was requested and does not exist. */
      isGone: (id: string) => requestedIds.has(id) && !byId.has(id),
    };
  }, [isLoaded, requested, found]);
}

/** Undefined while loading; empty after a failure. */
export type EquipmentById = ReturnType<typeof useEquipmentById>;
