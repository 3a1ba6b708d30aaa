import { createRouter, type RouterHistory } from "@tanstack/react-router";
import { ErrorPage } from "./app/error-page";
import { UnknownPath } from "./app/home";
import { PagePending } from "./app/page-pending";
import { RouterFrame } from "./app/router-frame";
import type { TextKey } from "./i18n/key";
import type { RouterContext } from "./router-context";
import { routeTree } from "./routeTree.gen";

export type AppRouter = ReturnType<typeof createAppRouter>;

export function createAppRouter(context: RouterContext, history?: RouterHistory) {
  const isFirstPage = (): boolean => !context.isContinued && !router.state.resolvedLocation;
  const router = createRouter({
    routeTree,
    context: { ...context, isFirstPage },
    ...(history ? { history } : {}),
    InnerWrap: RouterFrame,
    defaultErrorComponent: ErrorPage,
    defaultNotFoundComponent: UnknownPath,
    defaultPendingComponent: PagePending,
    defaultPendingMs: 200,
    defaultPreload: "intent",
    // The query cache decides when data are stale, not the router.
    defaultPreloadStaleTime: 0,
    scrollRestoration: true,
  });
  return router;
}

declare module "@tanstack/react-router" {
  interface Register {
    router: AppRouter;
  }

  interface StaticDataRouteOption {
    /** The document title; a function if it depends on search or path parameters. */
    title?: TextKey | ((search: object, params: Readonly<Record<string, unknown>>) => TextKey);
    /** The page has its own layout without header and navigation. */
    bare?: boolean;
  }
}
