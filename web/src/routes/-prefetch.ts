import type { EquipmentFilter } from "#/domain/equipment-filter";
import type { RouterContext } from "#/router-context";
import type { User } from "#/session/session";
import { whenIdle } from "#/shared/idle";
import type { PagePrefetches } from "./-page-prefetches";

const load = () => import("./-page-prefetches");

/**
 * Prefetches the first data of a page while its code loads, or when a pointer is near its link. The
 * page does not wait for it; a failure appears when the page's own query fails.
 */
export function prefetch(context: RouterContext, ask: (pages: PagePrefetches) => unknown): void {
  load()
    .then(({ pagePrefetches }) => ask(pagePrefetches(context)))
    .catch(() => undefined);
}

/** The same for the dashboard, which does not load the prefetches of other pages before its own. */
export function prefetchHome(
  context: RouterContext,
  filter: EquipmentFilter,
  user: User | null,
): void {
  import("./-home-prefetch")
    .then(({ homePrefetch }) => homePrefetch(context, filter, user))
    .catch(() => undefined);
  whenIdle(() => void load().catch(() => undefined));
}
