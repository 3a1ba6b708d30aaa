import { RefreshCw, Send } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { Button } from "#/shared/ui/button";
import { Empty } from "#/shared/ui/empty";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { SkeletonRows } from "#/shared/ui/skeleton";
import type { Outbox } from "./outbox";
import type { OutboxEntry } from "./outbox-entry";
import { useEquipment, useOwnUpdates } from "./queries";
import { SentItem } from "./sent-item";
import { UnsentItem } from "./unsent-item";
import { useOutboxState } from "./use-outbox";

/** "Your updates": what is not sent yet on top, then what was sent, newest first. */
export function OwnUpdates({
  outbox,
  editingId,
  onEdit,
  onDiscarded,
}: {
  outbox: Outbox;
  editingId: string | null;
  onEdit: (entry: OutboxEntry) => void;
  onDiscarded: (clientId: string) => void;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const query = useOwnUpdates();
  const equipment = useEquipment().data?.equipment ?? [];
  const { resting: entries } = useOutboxState(outbox);
  const updates = query.data?.pages.flatMap((page) => page.updates) ?? [];
  const unitOf = (id: string) => equipment.find((each) => each.id === id)?.unit;
  return (
    <section aria-labelledby="own-updates" className="min-w-0">
      <div className="mb-3 flex items-center justify-between gap-3">
        <h2 id="own-updates" className="text-lg font-semibold">
          {t("operator.list.title")}
        </h2>
        <Button
          size="small"
          onClick={() => void query.refetch()}
          pending={query.isRefetching && !query.isFetchingNextPage}
          pendingLabel={t("operator.list.refreshing")}
        >
          <RefreshCw aria-hidden className="size-4" />
          {t("operator.list.refresh")}
        </Button>
      </div>
      {query.error && (
        <div className="mb-3">
          <ErrorPanel
            title={t("operator.list.failed")}
            reason={errorText(query.error)}
            onRetry={() => void query.refetch()}
            retrying={query.isFetching}
          />
        </div>
      )}
      <div className="rounded-card border border-line bg-raised empty:hidden">
        {(entries.length > 0 || updates.length > 0) && (
          <ul className="divide-y divide-line">
            {entries.toReversed().map((entry) => (
              <UnsentItem
                key={entry.clientId}
                entry={entry}
                unit={unitOf(entry.equipmentId)}
                editing={entry.clientId === editingId}
                onEdit={() => onEdit(entry)}
                onDiscard={() =>
                  void outbox.discard(entry.clientId).then(() => onDiscarded(entry.clientId))
                }
              />
            ))}
            {updates.map((update) => (
              <SentItem key={update.id} update={update} unit={unitOf(update.equipmentId)} />
            ))}
          </ul>
        )}
        {query.isPending && <SkeletonRows rows={4} label={t("common.loading")} />}
        {query.isSuccess && updates.length === 0 && entries.length === 0 && (
          <Empty
            icon={<Send aria-hidden />}
            title={t("operator.list.empty")}
            description={t("operator.list.emptyText")}
          />
        )}
      </div>
      {query.hasNextPage && (
        <div className="mt-3">
          <Button
            wide
            onClick={() => void query.fetchNextPage()}
            pending={query.isFetchingNextPage}
            pendingLabel={t("operator.list.loadingMore")}
          >
            {t("operator.list.more")}
          </Button>
        </div>
      )}
    </section>
  );
}
