import { useEffect } from "react";
import { Topic } from "#/api/gen/hourmeter/events/v1/events_pb";
import { GrpcWeb } from "#/api/grpc-web";
import { notificationsKey } from "#/api/unread-notifications";
import { useWatch } from "#/shared/live/use-watch";
import { keepFocus } from "#/shared/ui/keep-focus";
import { refresh } from "./cached-query";
import { machinesKey } from "./machines";
import { historyKey } from "./own-history";
import { useUserDeps } from "./per-user";

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
  return null;
}
