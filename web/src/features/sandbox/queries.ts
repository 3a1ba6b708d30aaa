import type { Transport } from "@connectrpc/connect";
import { createQueryOptions } from "@connectrpc/connect-query";
import { SandboxService } from "#/api/gen/hourmeter/billing/v1/sandbox_pb";

export function checkoutQuery(transport: Transport, sessionId: string) {
  return createQueryOptions(SandboxService.method.getSandboxCheckout, { sessionId }, { transport });
}

export function portalQuery(transport: Transport) {
  return createQueryOptions(SandboxService.method.getSandboxPortal, {}, { transport });
}
