import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { changeSession, type User } from "#/session/session";

/** Signs the user in and navigates to `path`; without a path the page stays. */
export function useEnter(): (user: User, path?: string) => Promise<void> {
  const client = useQueryClient();
  const router = useRouter();
  return async (user, path) => {
    void changeSession(client, user);
    if (path !== undefined) await router.navigate({ href: path });
  };
}
