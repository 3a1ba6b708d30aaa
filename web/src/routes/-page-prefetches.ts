import type { EquipmentFilter } from "#/domain/equipment-filter";
import type { NotificationsSearch } from "#/features/notifications/search";
import type { RouterContext } from "#/router-context";
import { prefetchQueries } from "./-prefetch-queries";

export type PagePrefetches = ReturnType<typeof pagePrefetches>;

/** The first queries of each page but the dashboard. */
export function pagePrefetches(context: RouterContext) {
  const { transport } = context;
  const { query, pages, equipment, settings, summary } = prefetchQueries(context);
  return {
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
    notifications: async (search: NotificationsSearch) => {
      const { notificationsQuery, pushKeyQuery, smsNumberQuery } =
        await import("#/features/notifications/queries");
      pages(notificationsQuery(transport, search));
      query(pushKeyQuery(transport));
      query(smsNumberQuery(transport));
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
      const { currentUserQuery, digestScheduleQuery } = await import("#/features/profile/queries");
      query(currentUserQuery(transport));
      query(digestScheduleQuery(transport));
    },
    subscription: async () => {
      const { subscriptionQuery } = await import("#/api/subscription");
      query(subscriptionQuery(transport));
    },
  };
}
