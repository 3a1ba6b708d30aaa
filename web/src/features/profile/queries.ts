import type { Transport } from "@connectrpc/connect";
import { createQueryOptions } from "@connectrpc/connect-query";
import { AccountsService } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { DigestService } from "#/api/gen/hourmeter/notifications/v1/digest_pb";

/** The signed-in person, with more fields than the session. */
export function currentUserQuery(transport: Transport) {
  return createQueryOptions(AccountsService.method.getCurrentUser, {}, { transport });
}

/** When the signed-in person gets the digest. */
export function digestScheduleQuery(transport: Transport) {
  return createQueryOptions(DigestService.method.getDigestSchedule, {}, { transport });
}
