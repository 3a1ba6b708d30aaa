import type { Transport } from "@connectrpc/connect";
import { callUnaryMethod, createConnectQueryKey } from "@connectrpc/connect-query";
import { queryOptions } from "@tanstack/react-query";
import { callKey } from "./call-key";
import { NotificationsService } from "./gen/hourmeter/notifications/v1/notifications_pb";

const { countUnread } = NotificationsService.method;

/** Matches all queries of notifications. */
export const notificationsKey = createConnectQueryKey({
  schema: NotificationsService,
  cardinality: undefined,
});

/** The number of the user's unread notifications, at most 100. */
export function unreadQuery(transport: Transport) {
  return queryOptions({
    queryKey: callKey(countUnread, {}),
    queryFn: ({ signal }) => callUnaryMethod(transport, countUnread, {}, { signal }),
  });
}
