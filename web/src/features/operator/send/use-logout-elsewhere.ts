import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useEffect } from "react";
import { leftElsewhere } from "#/session/session";
import { onLogoutElsewhere } from "#/session/session-tabs";

/** A phone goes from hand to hand: no tab may show the page of who has signed out in another. */
export function useLogoutElsewhere(userId: string): void {
  const client = useQueryClient();
  const router = useRouter();
  useEffect(
    () =>
      onLogoutElsewhere((who) => {
        if (who !== userId) return;
        leftElsewhere(client);
        // A half-filled form must not hold the page of who has left.
        void router.navigate({ to: "/employee-login", ignoreBlocker: true });
      }),
    [client, router, userId],
  );
}
