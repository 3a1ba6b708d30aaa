import type { Transport } from "@connectrpc/connect";
import { createQueryOptions } from "@connectrpc/connect-query";
import { BillingService } from "./gen/hourmeter/billing/v1/billing_pb";

/** What the company's plan entitles it to, as of now. */
export function subscriptionQuery(transport: Transport) {
  return createQueryOptions(BillingService.method.getSubscription, {}, { transport });
}
