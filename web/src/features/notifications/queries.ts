import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Transport } from "@connectrpc/connect";
import { callUnaryMethod, createQueryOptions, useTransport } from "@connectrpc/connect-query";
import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useInfiniteQuery,
} from "@tanstack/react-query";
import { callKey } from "#/api/call-key";
import {
  NotificationsService,
  type Notification,
} from "#/api/gen/hourmeter/notifications/v1/notifications_pb";
import { PushService } from "#/api/gen/hourmeter/notifications/v1/push_pb";
import { SettingsService } from "#/api/gen/hourmeter/notifications/v1/settings_pb";
import { SmsService } from "#/api/gen/hourmeter/notifications/v1/sms_pb";
import type { RestPage } from "#/api/rest";
import { usePages, type Pages } from "#/shared/table/use-pages";
import { readPushState } from "./push";
import type { NotificationsSearch } from "./search";

const { listNotifications } = NotificationsService.method;

const pageSize = 50;

export interface NotificationRow {
  id: string;
  number: bigint;
  at: Date;
  read: boolean;
  what: Exclude<Notification["what"], { case: undefined }>;
}

/** The notifications, newest first, in pages. */
export function notificationsQuery(transport: Transport, { unread }: NotificationsSearch) {
  const input = { unreadOnly: unread ?? false };
  return infiniteQueryOptions({
    queryKey: callKey(listNotifications, input),
    queryFn: async ({ pageParam: cursor, signal }): Promise<RestPage<NotificationRow>> => {
      const request = { ...input, page: { limit: pageSize, cursor } };
      const options = { signal };
      const response = await callUnaryMethod(transport, listNotifications, request, options);
      return {
        rows: response.notifications.flatMap(rowOf),
        nextCursor: response.page?.nextCursor || null,
      };
    },
    initialPageParam: "",
    getNextPageParam: ({ nextCursor }) => nextCursor,
  });
}

/** The key that browsers subscribe with; empty if the server sends nothing to them. */
export function pushKeyQuery(transport: Transport) {
  return createQueryOptions(PushService.method.getPushKey, {}, { transport });
}

/** How the person is notified. */
export function settingsQuery(transport: Transport) {
  return createQueryOptions(SettingsService.method.getSettings, {}, { transport });
}

/** The number for the person's text messages, and whether any are sent here. */
export function smsNumberQuery(transport: Transport) {
  return createQueryOptions(SmsService.method.getSmsNumber, {}, { transport });
}

/** Whether this browser shows the person's notifications, which its settings can change. */
export function pushStateQuery(userId: string) {
  return queryOptions({
    queryKey: ["push", userId],
    queryFn: () => readPushState(userId),
    refetchOnWindowFocus: true,
  });
}

/** A notification of a later release has no content that this one can show. */
function rowOf({ number, happenedAt, read, what }: Notification): NotificationRow[] {
  if (what.case === undefined || !happenedAt) return [];
  return [{ id: String(number), number, at: timestampDate(happenedAt), read, what }];
}

/** The previous rows stay until those of the other filter are loaded. */
export function useNotificationPages(search: NotificationsSearch): Pages<NotificationRow> {
  const query = useInfiniteQuery({
    ...notificationsQuery(useTransport(), search),
    placeholderData: keepPreviousData,
  });
  return usePages(query);
}
