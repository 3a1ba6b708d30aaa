import { callUnaryMethod, useTransport } from "@connectrpc/connect-query";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { NotificationsService } from "#/api/gen/hourmeter/notifications/v1/notifications_pb";
import { notificationsKey, unreadQuery } from "#/api/unread-notifications";
import { notificationsQuery, type NotificationRow } from "./queries";

const { markAllRead, markRead } = NotificationsService.method;

/** One notification, or all up to one. */
type Which = { number: bigint } | { upTo: bigint };

const filters = [{ unread: undefined }, { unread: true }] as const;

/** Shows notifications as read at once; after a failure they are unread again. */
export function useMarkRead() {
  const transport = useTransport();
  const client = useQueryClient();
  const show = (which: Which) => {
    const withRead = (row: NotificationRow) => {
      const isMarked = "upTo" in which ? row.number <= which.upTo : row.number === which.number;
      return isMarked ? { ...row, read: true } : row;
    };
    for (const filter of filters) {
      client.setQueryData(
        notificationsQuery(transport, filter).queryKey,
        (data) =>
          data && {
            ...data,
            pages: data.pages.map((page) => ({ ...page, rows: page.rows.map(withRead) })),
          },
      );
    }
    client.setQueryData(
      unreadQuery(transport).queryKey,
      (data) => data && { ...data, unread: "upTo" in which ? 0 : Math.max(0, data.unread - 1) },
    );
  };
  return useMutation({
    mutationFn: (which: Which): Promise<unknown> =>
      "upTo" in which
        ? callUnaryMethod(transport, markAllRead, which)
        : callUnaryMethod(transport, markRead, { numbers: [which.number] }),
    onMutate: async (which) => {
      const before = client.getQueriesData({ queryKey: notificationsKey });
      show(which);
      await client.cancelQueries({ queryKey: notificationsKey });
      return before;
    },
    onError: (_error, _which, before = []) => {
      for (const [queryKey, data] of before) client.setQueryData(queryKey, data);
    },
    onSettled: () => client.invalidateQueries({ queryKey: notificationsKey }),
  });
}
