import { create } from "@bufbuild/protobuf";
import type { Transport } from "@connectrpc/connect";
import { createConnectQueryKey, createQueryOptions } from "@connectrpc/connect-query";
import type { QueryClient } from "@tanstack/react-query";
import {
  BillingService,
  GetSubscriptionResponseSchema,
  type Subscription,
} from "./gen/hourmeter/billing/v1/billing_pb";
import { EquipmentService } from "./gen/hourmeter/equipment/v1/equipment_pb";

export function subscriptionQuery(transport: Transport) {
  return createQueryOptions(BillingService.method.getSubscription, {}, { transport });
}

export const subscriptionKey = createConnectQueryKey({
  schema: BillingService.method.getSubscription,
  cardinality: undefined,
});

/** The equipment summary, which includes the plan's limit. */
export const limitKey = createConnectQueryKey({
  schema: EquipmentService.method.getSummary,
  cardinality: undefined,
});

export function refreshSubscription(client: QueryClient): Promise<unknown> {
  return Promise.all(
    [subscriptionKey, limitKey].map((queryKey) => client.invalidateQueries({ queryKey })),
  );
}

/** Stores the result of a call and refetches all queries that depend on it. */
export function keepSubscription(
  client: QueryClient,
  transport: Transport,
  subscription: Subscription | undefined,
): void {
  if (subscription) {
    client.setQueryData(
      subscriptionQuery(transport).queryKey,
      create(GetSubscriptionResponseSchema, { subscription }),
    );
  }
  void refreshSubscription(client);
}
