import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useSession } from "#/session/session";
import { onForgotten } from "#/device/person";

export interface UserDeps {
  client: QueryClient;
  userId: string;
}

/**
 * Creates one instance per user on first use and drops it when the user signs out. Instances for which
 * `mustKeep` returns true stay, because their data would be lost.
 */
export function perUserSingleton<Instance>(
  create: (deps: UserDeps) => Instance,
  mustKeep: (instance: Instance) => boolean = () => false,
) {
  // Keyed by client too, so that late work of a closed page does not affect the current one.
  const instances = new Map<string, Map<QueryClient, Instance>>();
  onForgotten((userId) => {
    const ofUser = instances.get(userId) ?? [];
    instances.set(userId, new Map([...ofUser].filter(([, instance]) => mustKeep(instance))));
  });
  return (deps: UserDeps): Instance => {
    const { client, userId } = deps;
    const ofUser = instances.get(userId) ?? new Map<QueryClient, Instance>();
    instances.set(userId, ofUser);
    const existing = ofUser.get(client);
    if (existing !== undefined) return existing;
    const instance = create(deps);
    ofUser.set(client, instance);
    return instance;
  };
}

/** The signed-in user and the query client. */
export function useUserDeps(): UserDeps {
  const client = useQueryClient();
  const userId = useSession()?.id ?? "";
  return { client, userId };
}
