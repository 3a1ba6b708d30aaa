import { createRootRouteWithContext, Outlet, redirect } from "@tanstack/react-router";
import { sessionQuery } from "#/session/session";
import type { PageContext } from "#/router-context";

const setUpPath = "/second-factor";

export const Route = createRootRouteWithContext<PageContext>()({
  // All guards read `context.user`; stale data are used immediately and refetched in the
  // background.
  beforeLoad: async ({ context, location }) => {
    const user = await context.queryClient.ensureQueryData({
      ...sessionQuery,
      revalidateIfStale: true,
    });
    // The server refuses all other calls until the second factor is set up.
    if (user?.secondFactorMissing === true && location.pathname !== setUpPath) {
      throw redirect({ to: setUpPath, replace: true });
    }
    return { user };
  },
  component: Outlet,
});
