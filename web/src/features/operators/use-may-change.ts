import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { subscriptionQuery } from "#/api/subscription";

/**
 * Whether people can be added and edited, which takes an active subscription; removing them, the
 * operator password and the cards do not. While that isn't known, the server decides.
 */
export function useMayChange(): boolean {
  const { data } = useQuery(subscriptionQuery(useTransport()));
  return data?.subscription?.entitlements?.active ?? true;
}
