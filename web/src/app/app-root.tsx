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

/** Renders the application at the current address. */
export function showApp(root: Root, firstSession: Promise<unknown>): void {
  const router = createRouter(false);
  // The response was requested while this code loaded; the router shows its failure.
  void router.options.context.queryClient.prefetchQuery(firstSessionQuery(firstSession));
  render(root, router);
}

/** Renders the application at `path`, in place of the page on which `user` has signed in. */
export async function enterApp(root: Root, user: User, path: string): Promise<void> {
  window.history.pushState(null, "", path);
  const router = createRouter(true);
  void changeSession(router.options.context.queryClient, user);
  // The previous page stays on screen until this one can be shown.
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
        <PrepareDevice />
        <RouterProvider router={router} />
      </Providers>
    </StrictMode>,
  );
}

/** Stores that a user is signed in, and caches the files of their pages. */
function PrepareDevice() {
  const user = useSession();
  const audience = audienceOf(user);
  useEffect(() => {
    if (user) rememberDevice(audience);
  }, [user, audience]);
  // Crews share phones and sign out on them without signal.
  useEffect(() => {
    if (audience === "operator") void loadForOffline().catch(() => undefined);
  }, [audience]);
  useEffect(() => registerServiceWorker(audience), [audience]);
  return null;
}

/**
 * Loads what may be shown without signal, in all languages: the landing page after a logout, and
 * error texts.
 */
async function loadForOffline(): Promise<void> {
  await Promise.all([import("./visitor-home"), loadTexts("visitor", "landing", "refusals")]);
  await loadAllLanguages();
}
