import type { Transport } from "@connectrpc/connect";
import { callUnaryMethod } from "@connectrpc/connect-query";
import { queryOptions } from "@tanstack/react-query";

/** Equals the result of `callKey`, without the descriptor. */
const queryKey = [
  "connect-query",
  { serviceName: "hourmeter.accounts.v1.AccountsService", methodName: "GetCompanySettings" },
] as const;

/**
 * Name, time zone and other settings, without the operator password. The descriptors are loaded
 * with the call, to keep them out of the dashboard's first load.
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
