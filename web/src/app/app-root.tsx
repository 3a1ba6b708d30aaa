import { RouterProvider } from "@tanstack/react-router";
import { StrictMode, useEffect } from "react";
import { flushSync } from "react-dom";
import type { Root } from "react-dom/client";
import * as v from "valibot";
import { createQueryClient } from "#/api/query-client";
import { sessionQuery, userSchema, useSession } from "#/api/session";
import { createTransport } from "#/api/transport";
import { audienceOf } from "#/domain/permissions";
import "#/i18n/all-texts";
import { createAppRouter } from "#/router";
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
  void queryClient.prefetchQuery({
    ...sessionQuery,
    queryFn: async () => v.parse(v.nullable(userSchema), await firstSession),
  });
  const router = createAppRouter({ queryClient, transport });
  if (path !== undefined) await router.navigate({ href: path });
  flushSync(() =>
    root.render(
      <StrictMode>
        <Providers queryClient={queryClient} transport={transport}>
          <KeepDevice />
          <RouterProvider router={router} />
        </Providers>
      </StrictMode>,
    ),
  );
  if (path !== undefined) whenHeadingAppears((heading) => heading.focus({ preventScroll: true }));
}

/** What this device keeps of whoever is signed in: that somebody is, and the files of the pages. */
function KeepDevice() {
  const user = useSession();
  const audience = audienceOf(user);
  useEffect(() => {
    if (user) rememberDevice();
  }, [user]);
  useEffect(() => registerServiceWorker(audience), [audience]);
  return null;
}
