import type { RouterContext } from "#/router";
import type { PagePrefetches } from "./-prefetches";

/**
 * Prefetches the first data of a page while its code loads, or when a pointer is near its link. The
 * page does not wait for it; a failure appears when the page's own query fails.
 */
export function prefetch(context: RouterContext, ask: (pages: PagePrefetches) => unknown): void {
  import("./-prefetches")
    .then(({ pagePrefetches }) => ask(pagePrefetches(context)))
    .catch(() => undefined);
}
