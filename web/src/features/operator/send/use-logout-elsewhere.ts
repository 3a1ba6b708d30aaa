import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useEffect } from "react";
import { signOutElsewhere } from "#/session/session";
import { onLogoutElsewhere } from "#/session/session-tabs";

/** Operators share phones, so a sign-out in one tab closes the user's pages in all tabs. */
export function useLogoutElsewhere(userId: string): void {
  const client = useQueryClient();
  const router = useRouter();
  useEffect(
    () =>
      onLogoutElsewhere((who) => {
        if (who !== userId) return;
        signOutElsewhere(client);
        // An unfinished form must not block leaving the page.
        void router.navigate({ to: "/employee-login", ignoreBlocker: true });
      }),
    [client, router, userId],
  );
}
