import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useEffect } from "react";
import { onLogoutElsewhere } from "#/session/session";

/** Operators share phones, so a sign-out in one tab closes the user's pages in all tabs. */
export function useLogoutElsewhere(): void {
  const client = useQueryClient();
  const router = useRouter();
  useEffect(
    () =>
      onLogoutElsewhere(client, () => {
        // An unfinished form must not block leaving the page.
        void router.navigate({ to: "/employee-login", ignoreBlocker: true });
      }),
    [client, router],
  );
}
