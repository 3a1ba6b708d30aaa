import type { Transport } from "@connectrpc/connect";
import { TransportProvider } from "@connectrpc/connect-query";
import {
  createMemoryHistory,
  createRootRoute,
  createRouter,
  RouterProvider,
} from "@tanstack/react-router";
import { render } from "@testing-library/react";
import type { ReactNode } from "react";
import { createQueryClient } from "#/session/query-client";
import { Providers } from "#/app/providers";
import { changeLanguage } from "#/i18n";

/** Renders a part of a page with links; navigation does not replace it. */
export async function renderRouted(part: ReactNode, transport: Transport) {
  await changeLanguage("en");
  const queryClient = createQueryClient();
  const show = () => part;
  const router = createRouter({
    routeTree: createRootRoute({ component: show, notFoundComponent: show }),
    history: createMemoryHistory({ initialEntries: ["/"] }),
  });
  await router.load();
  const view = render(
    <Providers queryClient={queryClient} transport={transport}>
      <TransportProvider transport={transport}>
        <RouterProvider router={router} />
      </TransportProvider>
    </Providers>,
  );
  return { queryClient, router, view };
}
