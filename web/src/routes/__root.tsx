import { createRootRouteWithContext, Outlet } from "@tanstack/react-router";
import { sessionQuery } from "#/api/session";
import type { RouterContext } from "#/router";

export const Route = createRootRouteWithContext<RouterContext>()({
  // Every guard below reads `context.user`; an old answer is used at once and renewed behind it.
  beforeLoad: async ({ context }) => ({
    user: await context.queryClient.ensureQueryData({ ...sessionQuery, revalidateIfStale: true }),
  }),
  component: Outlet,
});
