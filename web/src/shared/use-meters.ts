import { useInfiniteQuery } from "@connectrpc/connect-query";
import { useEffect } from "react";
import { EquipmentService, type Meter } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";

/** The server's largest page. */
const maxPerRequest = 500;

/** All active equipment by name; the pages loaded so far while the rest is loading. */
export function useMeters() {
  const query = useInfiniteQuery(
    EquipmentService.method.listMeters,
    { page: { limit: maxPerRequest, cursor: "" } },
    {
      pageParamKey: "page",
      getNextPageParam: ({ page }) =>
        page?.nextCursor ? { limit: maxPerRequest, cursor: page.nextCursor } : undefined,
    },
  );
  const { hasNextPage, isFetching, fetchNextPage } = query;
  useEffect(() => {
    if (hasNextPage && !isFetching) void fetchNextPage();
  }, [hasNextPage, isFetching, fetchNextPage]);
  const meters: Meter[] | undefined = query.data?.pages.flatMap((page) => page.meters);
  return { query, meters };
}
