import { RouterProvider } from "@tanstack/react-router";
import { StrictMode, useEffect } from "react";
import type { Root } from "react-dom/client";
import { createQueryClient } from "#/session/query-client";
import { firstSessionQuery, useSession } from "#/session/session";
import { createTransport } from "#/api/transport";
import { audienceOf } from "#/domain/permissions";
import { loadAllLanguages, loadTexts } from "#/i18n";
import { createAppRouter } from "#/router";
import { rememberDevice } from "./known-device";
import { Providers } from "./providers";
import { registerServiceWorker } from "./service-worker/register";

/** Renders the application at the address that the page was opened with. */
export function showApp(root: Root, firstSession: Promise<unknown>): void {
  const queryClient = createQueryClient();
  const transport = createTransport(window.location.origin);
  // Asked while this code was loading; a failure is the router's to show.
  void queryClient.prefetchQuery(firstSessionQuery(firstSession));
  const router = createAppRouter({ queryClient, transport });
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
  await Promise.all([import("./visitor-home"), loadTexts("landing", "refusals")]);
  await loadAllLanguages();
}
