import type { FetchInfiniteQueryOptions, FetchQueryOptions, QueryKey } from "@tanstack/react-query";
import { companySettingsQuery } from "#/api/company-settings";
import { equipmentSummaryQuery } from "#/api/equipment-summary";
import type { EquipmentFilter, SortWord } from "#/domain/equipment-filter";
import { equipmentPagesQuery } from "#/features/equipment/table/equipment-pages";
import { orderOf } from "#/features/equipment/table/order";
import type { RouterContext } from "#/router-context";
import { prefetchMs } from "#/session/query-client";

/** Prefetches of queries that several pages have. */
export function prefetchQueries({ queryClient, transport }: RouterContext) {
  const lifetime = { staleTime: prefetchMs, gcTime: prefetchMs };
  const query = <Data, Key extends QueryKey>(options: FetchQueryOptions<Data, Error, Data, Key>) =>
    void queryClient.prefetchQuery({ ...options, ...lifetime });
  const pages = <Data, Key extends QueryKey, Param>(
    options: FetchInfiniteQueryOptions<Data, Error, Data, Key, Param>,
  ) => void queryClient.prefetchInfiniteQuery({ ...options, ...lifetime });
  return {
    query,
    pages,
    equipment: (filter: EquipmentFilter, own: SortWord) =>
      pages(equipmentPagesQuery(transport, filter, orderOf(filter, own))),
    settings: () => query(companySettingsQuery(transport)),
    summary: () => query(equipmentSummaryQuery(transport)),
  };
}
