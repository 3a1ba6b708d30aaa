import type { FetchInfiniteQueryOptions, FetchQueryOptions, QueryKey } from "@tanstack/react-query";
import { companySettingsQuery } from "#/api/company-settings";
import { equipmentSummaryQuery } from "#/api/equipment-summary";
import { equipmentPagesQuery } from "#/features/equipment/table/equipment-pages";
import { orderOf } from "#/features/equipment/table/order";
import type { EquipmentFilter, SortWord } from "#/domain/equipment-filter";
import type { RouterContext } from "#/router";
import { prefetchMs } from "#/session/query-client";

export type PagePrefetches = ReturnType<typeof pagePrefetches>;

/** The first queries of each page. */
export function pagePrefetches({ queryClient, transport }: RouterContext) {
  const lifetime = { staleTime: prefetchMs, gcTime: prefetchMs };
  const query = <Data, Key extends QueryKey>(options: FetchQueryOptions<Data, Error, Data, Key>) =>
    void queryClient.prefetchQuery({ ...options, ...lifetime });
  const pages = <Data, Key extends QueryKey, Param>(
    options: FetchInfiniteQueryOptions<Data, Error, Data, Key, Param>,
  ) => void queryClient.prefetchInfiniteQuery({ ...options, ...lifetime });
  const equipment = (filter: EquipmentFilter, own: SortWord) =>
    pages(equipmentPagesQuery(transport, filter, orderOf(filter, own)));
  const settings = () => query(companySettingsQuery(transport));
  const summary = () => query(equipmentSummaryQuery(transport));
  return {
    home: async (filter: EquipmentFilter) => {
      equipment(filter, "urgency");
      summary();
      settings();
      const { pendingCountQuery } = await import("#/features/updates/pending");
      query(pendingCountQuery(transport));
    },
    equipmentList: (filter: EquipmentFilter) => {
      equipment(filter, "urgency");
      summary();
    },
    byStatus: (filter: EquipmentFilter) => equipment(filter, "urgency"),
    service: async () => {
      settings();
      summary();
      const { outlookQuery } = await import("#/features/equipment/outlook/queries");
      query(outlookQuery(transport));
    },
    equipmentItem: async (id: string) => {
      const [{ equipmentQuery }, { segmentsQuery }] = await Promise.all([
        import("#/features/equipment/queries"),
        import("#/features/equipment/meters/queries"),
      ]);
      query(equipmentQuery(transport, id));
      query(segmentsQuery(transport, id));
    },
    review: async () => {
      const { reviewQuery } = await import("#/features/updates/queries");
      query(reviewQuery(transport));
    },
    people: async () => {
      settings();
      const { employeesQuery } = await import("#/api/employees");
      query(employeesQuery(transport));
    },
    retired: async () => {
      const { archiveQuery } = await import("#/features/retired/queries");
      pages(archiveQuery(transport));
    },
    taskSets: async () => {
      const { taskSetsQuery } = await import("#/features/equipment/task-sets/queries");
      query(taskSetsQuery(transport));
    },
    settings,
    profile: async () => {
      const { currentUserQuery } = await import("#/features/profile/queries");
      query(currentUserQuery(transport));
    },
    subscription: async () => {
      const { subscriptionQuery } = await import("#/api/subscription");
      query(subscriptionQuery(transport));
    },
  };
}
