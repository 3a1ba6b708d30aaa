import { createRootRouteWithContext, Outlet, redirect } from "@tanstack/react-router";
import { sessionQuery } from "#/session/session";
import type { RouterContext } from "#/router";

const setUpPath = "/second-factor";

export const Route = createRootRouteWithContext<RouterContext>()({
  // Every guard below reads `context.user`; an old answer is used at once and renewed behind it.
  beforeLoad: async ({ context, location }) => {
    const user = await context.queryClient.ensureQueryData({
      ...sessionQuery,
      revalidateIfStale: true,
    });
    // Until the factor is set up the server answers nothing else.
    if (user?.secondFactorMissing === true && location.pathname !== setUpPath) {
      throw redirect({ to: setUpPath, replace: true });
    }
    return { user };
  },
  component: Outlet,
});
