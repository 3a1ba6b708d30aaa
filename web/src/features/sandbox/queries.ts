import type { Transport } from "@connectrpc/connect";
import { createQueryOptions } from "@connectrpc/connect-query";
import { BillingService } from "#/api/gen/hourmeter/billing/v1/billing_pb";

export function checkoutQuery(transport: Transport, sessionId: string) {
  return createQueryOptions(BillingService.method.getSandboxCheckout, { sessionId }, { transport });
}

export function portalQuery(transport: Transport) {
  return createQueryOptions(BillingService.method.getSandboxPortal, {}, { transport });
}
