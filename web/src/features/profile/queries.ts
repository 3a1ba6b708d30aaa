import type { Transport } from "@connectrpc/connect";
import { createQueryOptions } from "@connectrpc/connect-query";
import { AccountsService } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";

/** The signed-in person, with more fields than the session. */
export function currentUserQuery(transport: Transport) {
  return createQueryOptions(AccountsService.method.getCurrentUser, {}, { transport });
}
