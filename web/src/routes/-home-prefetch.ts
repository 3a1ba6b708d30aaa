import type { EquipmentFilter } from "#/domain/equipment-filter";
import { loadFirstSteps } from "#/features/first-steps/load";
import type { RouterContext } from "#/router-context";
import type { User } from "#/session/session";
import { prefetchQueries } from "./-prefetch-queries";

/** The first queries of the dashboard, apart from other pages' because it loads with them. */
export async function homePrefetch(
  context: RouterContext,
  filter: EquipmentFilter,
  user: User | null,
): Promise<void> {
  const { query, equipment, settings, summary } = prefetchQueries(context);
  equipment(filter, "urgency");
  summary();
  settings();
  if (user?.notices.some(({ kind }) => kind === "first_steps")) {
    void prefetchFirstSteps(context).catch(() => undefined);
  }
  const { pendingCountQuery } = await import("#/features/updates/pending");
  query(pendingCountQuery(context.transport));
}

async function prefetchFirstSteps(context: RouterContext): Promise<void> {
  void loadFirstSteps().catch(() => undefined);
  const { stepsQueries } = await import("#/features/first-steps/use-steps");
  const { query } = prefetchQueries(context);
  const { person, people, lastReading, subscription } = stepsQueries(context.transport);
  query(person);
  query(people);
  query(lastReading);
  query(subscription);
}
