import type { Transport } from "@connectrpc/connect";
import { createQueryOptions } from "@connectrpc/connect-query";
import { AccountsService } from "./gen/hourmeter/accounts/v1/accounts_pb";

/** Name, time zone and the like; the operator password itself is never in it. */
export function companySettingsQuery(transport: Transport) {
  return createQueryOptions(AccountsService.method.getCompanySettings, {}, { transport });
}
