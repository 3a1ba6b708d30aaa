import type { Transport } from "@connectrpc/connect";
import { createQueryOptions } from "@connectrpc/connect-query";
import { AccountsService } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";

/** The person behind the session, with more about them than the shell needs. */
export function currentUserQuery(transport: Transport) {
  return createQueryOptions(AccountsService.method.getCurrentUser, {}, { transport });
}
