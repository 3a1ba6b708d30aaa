import { createConnectQueryKey } from "@connectrpc/connect-query";
import { useQueryClient, type Query, type QueryClient, type QueryKey } from "@tanstack/react-query";
import { CloudOff } from "lucide-react";
import { useTranslation } from "react-i18next";
import { EquipmentService } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { Topic } from "#/api/gen/hourmeter/events/v1/events_pb";
import { OperatorUpdatesService } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { limitKey, subscriptionKey } from "#/api/subscription";
import { notificationsKey } from "#/api/unread-notifications";
import { Button } from "#/shared/ui/button";
import { useLiveStream, useWatch } from "./use-watch";

const topics = [
  Topic.OPERATOR_UPDATES,
  Topic.EQUIPMENT,
  Topic.SUBSCRIPTION,
  Topic.NOTIFICATIONS,
] as const;
const updates = createConnectQueryKey({
  schema: OperatorUpdatesService,
  cardinality: undefined,
});
const equipment = createConnectQueryKey({
  schema: EquipmentService,
  cardinality: undefined,
});

/** A pending first response may predate the change, and invalidation does not restart it. */
async function refetch(client: QueryClient, queryKey: QueryKey): Promise<void> {
  const first = ({ state }: Query) => state.data === undefined;
  const pending = client
    .getQueryCache()
    .findAll({ queryKey, fetchStatus: "fetching" })
    .filter(first);
  await Promise.allSettled(pending.map(async (query) => query.promise));
  await client.invalidateQueries({ queryKey });
}

/**
 * Refetches operator updates, equipment, the subscription and notifications on the screens of owners
 * and managers as they change. Forms keep the values they were opened with.
 */
export function LiveUpdates() {
  const client = useQueryClient();
  useWatch(topics, (changed) => {
    const keys: QueryKey[] = [];
    if (changed.has(Topic.OPERATOR_UPDATES)) keys.push(updates);
    if (changed.has(Topic.SUBSCRIPTION)) keys.push(subscriptionKey);
    if (changed.has(Topic.NOTIFICATIONS)) keys.push(notificationsKey);
    if (changed.has(Topic.EQUIPMENT)) keys.push(equipment);
    // Equipment queries include the plan's limit.
    else if (changed.has(Topic.SUBSCRIPTION)) keys.push(limitKey);
    return Promise.all(keys.map((queryKey) => refetch(client, queryKey)));
  });
  return <LivePaused />;
}

/** Notifies the user after a while that the screen may be outdated. */
function LivePaused() {
  const { t } = useTranslation();
  const { paused, refresh } = useLiveStream();
  return (
    <div role="status" className="no-print fixed bottom-3 left-3 z-30 max-w-[calc(100vw-1.5rem)]">
      {paused && (
        <div className="flex animate-[appear_200ms] items-center gap-2.5 rounded-card border border-line bg-raised py-1 pr-1 pl-3 text-sm shadow-overlay">
          <CloudOff aria-hidden className="size-4 shrink-0 text-muted" />
          <span className="text-muted">{t("live.paused")}</span>
          <Button variant="quiet" size="small" onClick={refresh}>
            {t("live.refresh")}
          </Button>
        </div>
      )}
    </div>
  );
}
