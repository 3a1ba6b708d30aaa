import { RouterProvider } from "@tanstack/react-router";
import { StrictMode, useEffect } from "react";
import type { Root } from "react-dom/client";
import { createQueryClient } from "#/session/query-client";
import { changeSession, firstSessionQuery, useSession, type User } from "#/session/session";
import { createTransport } from "#/api/transport";
import { audienceOf } from "#/domain/permissions";
import { loadAllLanguages, loadTexts } from "#/i18n";
import { createAppRouter, type AppRouter } from "#/router";
import { rememberDevice } from "./known-device";
import { Providers } from "./providers";
import { registerServiceWorker } from "./service-worker/register";
import "../styles/index.css";

/** Renders the application at the address that the page was opened with. */
export function showApp(root: Root, firstSession: Promise<unknown>): void {
  const router = createRouter(false);
  // Asked while this code was loading; a failure is the router's to show.
  void router.options.context.queryClient.prefetchQuery(firstSessionQuery(firstSession));
  render(root, router);
}

/** Renders the application at `path`, in place of the page on which `user` has signed in. */
export async function enterApp(root: Root, user: User, path: string): Promise<void> {
  window.history.pushState(null, "", path);
  const router = createRouter(true);
  void changeSession(router.options.context.queryClient, user);
  // The page before stays on screen until this one can be shown.
  await router.load();
  render(root, router);
}

function createRouter(isContinued: boolean): AppRouter {
  const queryClient = createQueryClient();
  const transport = createTransport(window.location.origin);
  return createAppRouter({ queryClient, transport, isContinued });
}

function render(root: Root, router: AppRouter): void {
  const { queryClient, transport } = router.options.context;
  root.render(
    <StrictMode>
      <Providers queryClient={queryClient} transport={transport}>
        <KeepDevice />
        <RouterProvider router={router} />
      </Providers>
    </StrictMode>,
  );
}

/** What this device keeps of whoever is signed in: that somebody is, and the files of the pages. */
function KeepDevice() {
  const user = useSession();
  const audience = audienceOf(user);
  useEffect(() => {
    if (user) rememberDevice(audience);
  }, [user, audience]);
  // A crew hands one phone around, and signs out on it, where there is no signal too.
  useEffect(() => {
    if (audience === "operator") void loadForOffline().catch(() => undefined);
  }, [audience]);
  useEffect(() => registerServiceWorker(audience), [audience]);
  return null;
}

/** What may be shown without signal: the landing page after a logout, and refusals, in any language. */
async function loadForOffline(): Promise<void> {
  await Promise.all([import("./visitor-home"), loadTexts("visitor", "landing", "refusals")]);
  await loadAllLanguages();
}
