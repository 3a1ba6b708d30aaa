import { callUnaryMethod, useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { Topic } from "#/api/gen/hourmeter/events/v1/events_pb";
import { NotificationsService } from "#/api/gen/hourmeter/notifications/v1/notifications_pb";
import { GrpcWeb } from "#/api/grpc-web";
import { notificationsKey, unreadQuery } from "#/api/unread-notifications";
import { useSessionEnded } from "#/session/state";
import { useWatch } from "#/shared/live/use-watch";
import { keepFocus } from "#/shared/ui/keep-focus";
import { useStoredIds } from "../send/stored-ids";
import { refresh } from "./cached-query";
import { machinesKey } from "./machines";
import { historyKey, seenOf } from "./own-history";
import { useUserDeps } from "./per-user";

const { listNotifications, markRead } = NotificationsService.method;

const topics = [Topic.OPERATOR_UPDATES, Topic.EQUIPMENT, Topic.NOTIFICATIONS] as const;

/** Refetches when the server reports a change; the focus stays where a list changes. */
export function LiveSync() {
  useEffect(keepFocus, []);
  return (
    <GrpcWeb>
      <Watch />
    </GrpcWeb>
  );
}

function Watch() {
  const { client, userId } = useUserDeps();
  useWatch(topics, (changed) =>
    Promise.all([
      changed.has(Topic.OPERATOR_UPDATES) ? refresh(client, historyKey(userId)) : null,
      changed.has(Topic.EQUIPMENT) ? refresh(client, machinesKey(userId)) : null,
      changed.has(Topic.NOTIFICATIONS)
        ? client.invalidateQueries({ queryKey: notificationsKey })
        : null,
    ]),
  );
  useReadWhenSeen();
  return null;
}

/** Marks the notifications of rejections whose message was closed on this device as read. */
function useReadWhenSeen() {
  const transport = useTransport();
  const person = useUserDeps();
  const { ids } = useStoredIds(seenOf(person));
  const ended = useSessionEnded();
  // The bell requests it.
  const { data } = useQuery({ ...unreadQuery(transport), enabled: false });
  // A notification can come after its message was closed. The key prevents a repeat without a change.
  useQuery({
    queryKey: ["read-when-seen", ids, data?.unread, data?.marker],
    queryFn: async () => {
      const unread = { unreadOnly: true };
      const { notifications } = await callUnaryMethod(transport, listNotifications, unread);
      const numbers = notifications.flatMap(({ number, what }) =>
        what.case === "returnedUpdate" && ids.includes(what.value.updateId) ? [number] : [],
      );
      if (numbers.length > 0) {
        await callUnaryMethod(transport, markRead, { numbers });
        void person.client.invalidateQueries({ queryKey: notificationsKey });
      }
      return null;
    },
    enabled: !ended && ids.length > 0 && (data?.unread ?? 0) > 0,
    staleTime: Infinity,
    refetchInterval: ({ state }) => (state.error ? 30_000 : false),
  });
}
