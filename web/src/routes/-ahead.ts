import type { RouterContext } from "#/router";
import type { Ahead } from "./-pages-ahead";

/**
 * Asks for the first data of a page while its code is on its way, or when a pointer comes near its
 * link. The page does not wait for it, and shows what fails when it asks itself.
 */
export function ahead(context: RouterContext, ask: (pages: Ahead) => unknown): void {
  import("./-pages-ahead")
    .then(({ pagesAhead }) => ask(pagesAhead(context)))
    .catch(() => undefined);
}
