import { callUnaryMethod, useTransport } from "@connectrpc/connect-query";
import { useMutation } from "@tanstack/react-query";
import { useEffect } from "react";
import { Topic } from "#/api/gen/hourmeter/events/v1/events_pb";
import { NotificationsService } from "#/api/gen/hourmeter/notifications/v1/notifications_pb";
import { GrpcWeb } from "#/api/grpc-web";
import { notificationsKey } from "#/api/unread-notifications";
import { useWatch } from "#/shared/live/use-watch";
import { keepFocus } from "#/shared/ui/keep-focus";
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

/** Marks the notification of a rejection as read when its message is closed on this page. */
function useReadWhenSeen() {
  const transport = useTransport();
  const person = useUserDeps();
  const { state } = seenOf(person);
  const { mutate } = useMutation({
    mutationFn: async (ids: readonly string[]) => {
      const unread = { unreadOnly: true };
      const { notifications } = await callUnaryMethod(transport, listNotifications, unread);
      const numbers = notifications.flatMap(({ number, what }) =>
        what.case === "returnedUpdate" && ids.includes(what.value.updateId) ? [number] : [],
      );
      if (numbers.length > 0) await callUnaryMethod(transport, markRead, { numbers });
    },
    onSuccess: () => person.client.invalidateQueries({ queryKey: notificationsKey }),
  });
  useEffect(() => {
    let before = state.get();
    return state.subscribe(() => {
      const now = state.get();
      const { loaded, ids } = before;
      before = now;
      const added = now.ids.filter((id) => !ids.includes(id));
      if (loaded && added.length > 0) mutate(added);
    });
  }, [state, mutate]);
}
