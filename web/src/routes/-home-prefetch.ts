import type { EquipmentFilter } from "#/domain/equipment-filter";
import type { RouterContext } from "#/router";
import { prefetching } from "./-prefetching";

/** The first queries of the dashboard, apart from other pages' because it loads with them. */
export async function homePrefetch(context: RouterContext, filter: EquipmentFilter): Promise<void> {
  const { query, equipment, settings, summary } = prefetching(context);
  equipment(filter, "urgency");
  summary();
  settings();
  const { pendingCountQuery } = await import("#/features/updates/pending");
  query(pendingCountQuery(context.transport));
}
