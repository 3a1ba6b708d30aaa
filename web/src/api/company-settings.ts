import type { Transport } from "@connectrpc/connect";
import { callUnaryMethod } from "@connectrpc/connect-query";
import { queryOptions } from "@tanstack/react-query";

/** As `callKey` makes it, without the descriptor. */
const queryKey = [
  "connect-query",
  { serviceName: "hourmeter.accounts.v1.AccountsService", methodName: "GetCompanySettings" },
] as const;

/**
 * Name, time zone and the like; the operator password itself is never in it. The dashboard reads it,
 * and loads the descriptors of accounts with the call, not with its code.
 */
export function companySettingsQuery(transport: Transport) {
  return queryOptions({
    queryKey,
    queryFn: async ({ signal }) => {
      const { AccountsService } = await import("./gen/hourmeter/accounts/v1/accounts_pb");
      return callUnaryMethod(transport, AccountsService.method.getCompanySettings, {}, { signal });
    },
  });
}
