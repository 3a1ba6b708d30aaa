import { RouterProvider } from "@tanstack/react-router";
import { StrictMode, useEffect } from "react";
import { flushSync } from "react-dom";
import type { Root } from "react-dom/client";
import { createQueryClient } from "#/session/query-client";
import { firstSessionQuery, useSession } from "#/session/session";
import { createTransport } from "#/api/transport";
import { audienceOf } from "#/domain/permissions";
import { loadAllLanguages } from "#/i18n";
import { createAppRouter, type AppRouter } from "#/router";
import { loadAllOnDemand } from "#/shared/on-demand";
import { rememberDevice } from "./known-device";
import { Providers } from "./providers";
import { whenHeadingAppears } from "./route-announcer";
import { registerServiceWorker } from "./service-worker/register";

/** The application, at `path` or at the address it was opened with. */
export async function showApp(
  root: Root,
  firstSession: Promise<unknown>,
  path?: string,
): Promise<void> {
  const queryClient = createQueryClient();
  const transport = createTransport(window.location.origin);
  // Asked while this code was loading; a failure is the router's to show.
  void queryClient.prefetchQuery(firstSessionQuery(firstSession));
  const router = createAppRouter({ queryClient, transport });
  if (path !== undefined) await router.navigate({ href: path });
  flushSync(() =>
    root.render(
      <StrictMode>
        <Providers queryClient={queryClient}>
          <KeepDevice router={router} />
          <RouterProvider router={router} />
        </Providers>
      </StrictMode>,
    ),
  );
  if (path !== undefined) whenHeadingAppears((heading) => heading.focus({ preventScroll: true }));
}

/** What this device keeps of whoever is signed in: that somebody is, and the files of the pages. */
function KeepDevice({ router }: { router: AppRouter }) {
  const user = useSession();
  const audience = audienceOf(user);
  useEffect(() => {
    if (user) rememberDevice();
  }, [user]);
  // A crew hands one phone around, where there is no signal too.
  useEffect(() => {
    if (audience === "operator") void loadAllLanguages().catch(() => undefined);
  }, [audience]);
  useEffect(
    () =>
      registerServiceWorker(audience, () =>
        audience === "operator" ? loadOperatorPages(router) : Promise.resolve(),
      ),
    [audience, router],
  );
  return null;
}

const operatorRoutes = [
  "/_operator",
  "/_operator/operator",
  "/_operator/simple-operator",
  "/_person",
  "/_person/profile",
] as const;

/** An operator's other paths, so that each of them can be opened where there is no signal. */
function loadOperatorPages(router: AppRouter): Promise<unknown> {
  const { routesById } = router;
  return Promise.allSettled([
    ...operatorRoutes.map((id) => router.loadRouteChunk(routesById[id])),
    import("#/features/auth/session-ended"),
    import("#/features/operator/later-parts"),
  ]).then(loadAllOnDemand);
}
