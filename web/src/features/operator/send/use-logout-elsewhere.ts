import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent } from "react";
import { onLogoutElsewhere } from "#/session/session";
import { useNavigation } from "#/shared/navigation";

/** Operators share phones, so a sign-out in one tab closes the user's pages in all tabs. */
export function useLogoutElsewhere(): void {
  const client = useQueryClient();
  const navigation = useNavigation();
  // An unfinished form must not block leaving the page.
  const leave = useEffectEvent(
    () => void navigation.go("/employee-login", { ignoreBlocker: true }),
  );
  useEffect(() => onLogoutElsewhere(client, () => leave()), [client]);
}
