import type { Transport } from "@connectrpc/connect";
import { createInfiniteQueryOptions, useTransport } from "@connectrpc/connect-query";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import { EquipmentService } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";

const pageSize = 100;

/** The archive, newest first, in pages of a hundred. */
export function archiveQuery(transport: Transport) {
  return createInfiniteQueryOptions(
    EquipmentService.method.listRetired,
    { page: { limit: pageSize } },
    {
      transport,
      pageParamKey: "page",
      getNextPageParam: ({ page }) =>
        page?.nextCursor ? { limit: pageSize, cursor: page.nextCursor } : undefined,
    },
  );
}

/**
 * The whole archive: all pages load one after the other, because search, totals and export need all
 * rows.
 */
export function useArchive() {
  const query = useInfiniteQuery(archiveQuery(useTransport()));
  const { data, hasNextPage, isFetching, error, fetchNextPage } = query;
  // After a failure the user retries, to avoid a request loop.
  const hasMore = hasNextPage && !isFetching && !error;
  useEffect(() => {
    // Depends on `data` too, because `hasMore` may not change between fast pages.
    if (hasMore && data) void fetchNextPage();
  }, [hasMore, data, fetchNextPage]);
  const rows = useMemo(() => data?.pages.flatMap((page) => page.retired), [data]);
  return {
    rows,
    /** False while pages are missing; all figures then count only the loaded rows. */
    whole: rows !== undefined && !hasNextPage,
    isPending: query.isPending,
    isFetching,
    error,
    retry: () => void (rows && hasNextPage ? fetchNextPage() : query.refetch()),
  };
}
