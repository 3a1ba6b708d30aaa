import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import type { Identity } from "#/device/identity";
import { changeSession, enterByPin, type User } from "#/session/session";
import { userOf } from "#/session/user";

/** Signs the user in and navigates to `path`; without a path the page stays. */
export function useEnter(): (user: User, path?: string) => Promise<void> {
  const client = useQueryClient();
  const router = useRouter();
  return async (user, path) => {
    void changeSession(client, user);
    if (path !== undefined) await router.navigate({ href: path });
  };
}

/** Signs an operator in by PIN. */
export function useEnterByPin(): (user: Identity) => Promise<void> {
  const client = useQueryClient();
  const router = useRouter();
  return async (user) => {
    void enterByPin(client, userOf(user));
    await router.navigate({ href: "/simple-operator" });
  };
}
