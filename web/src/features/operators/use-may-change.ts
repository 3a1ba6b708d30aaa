import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { subscriptionQuery } from "#/api/subscription";

/**
 * Whether people can be added and edited, which needs an active subscription; removing people, the
 * operator password and cards do not. While loading, the server decides.
 */
export function useMayChange(): boolean {
  const { data } = useQuery(subscriptionQuery(useTransport()));
  return data?.subscription?.entitlements?.active ?? true;
}
