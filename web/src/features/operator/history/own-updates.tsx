import { withoutSent } from "../offline-data/own-history";
import { readAt, type OwnUpdate } from "../offline-data/own-update";
import { RefreshCw, Send } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { toFailure } from "#/api/errors";
import { useSessionState } from "#/session/state";
import { Button } from "#/shared/ui/button";
import { Empty } from "#/shared/ui/empty";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { SkeletonRows } from "#/shared/ui/skeleton";
import { correctionOfEntry, correctionOfUpdate, type Correction } from "../form/correction";
import { phaseOf } from "../send/outbox";
import { SentItem } from "./sent-item";
import { UnsentItem } from "./unsent-item";
import type { OperatorPageState } from "../use-operator-page";
import { useOutboxState } from "../send/outbox-state";
import { useWhen } from "#/shared/words/use-when";

const firstShown = 15;
const moreShown = 30;

/** "Your updates": unsent entries first, then sent updates by day. */
export function OwnUpdates({
  page,
  corrected,
  editingKey,
  onCorrect,
  onDiscarded,
}: {
  page: OperatorPageState;
  /** Ids of rejected updates that were corrected on this device. */
  corrected: ReadonlySet<string>;
  editingKey: string | null;
  onCorrect: (correction: Correction) => void;
  onDiscarded: (clientId: string) => void;
}) {
  const { t } = useTranslation();
  const { outbox, history } = page;
  const outboxState = useOutboxState(outbox);
  const { updates } = history;
  // An entry whose response was lost is in both lists. Show it once.
  const entries = withoutSent(outboxState.resting, updates);
  const [shown, setShown] = useState(firstShown);
  return (
    <section aria-labelledby="own-updates" className="min-w-0">
      <div className="mb-3 flex items-center justify-between gap-3">
        <h2 id="own-updates" className="text-lg font-semibold">
          {t("operator.list.title")}
        </h2>
        <Button
          size="small"
          onClick={history.refetch}
          pending={history.refreshing}
          pendingLabel={t("operator.list.refreshing")}
        >
          <RefreshCw aria-hidden className="size-4" />
          {t("operator.list.refresh")}
        </Button>
      </div>
      <Failure page={page} />
      <div className="rounded-card border border-line bg-raised empty:hidden">
        {entries.length > 0 && (
          <ul
            aria-label={t("operator.list.onPhone")}
            className="divide-y divide-line overflow-hidden rounded-card"
          >
            {entries.toReversed().map((entry) => (
              <UnsentItem
                key={entry.clientId}
                entry={entry}
                phase={phaseOf(outboxState, entry)}
                machine={page.machineOf(entry.equipmentId)}
                editing={entry.clientId === editingKey}
                onEdit={() => onCorrect(correctionOfEntry(entry))}
                onDiscard={() =>
                  void outbox.discard(entry.clientId).then(() => onDiscarded(entry.clientId))
                }
              />
            ))}
          </ul>
        )}
        <Days
          updates={updates}
          limit={shown}
          machineOf={page.machineOf}
          corrected={corrected}
          onCorrect={(update) => onCorrect(correctionOfUpdate(update))}
        />
        {history.state === "loading" && <SkeletonRows rows={4} label={t("common.loading")} />}
        {history.state === "ready" && updates.length === 0 && entries.length === 0 && (
          <Empty
            icon={<Send aria-hidden />}
            title={t("operator.list.empty")}
            description={t("operator.list.emptyText")}
          />
        )}
      </div>
      {(history.hasMore || shown < updates.length) && (
        <div className="mt-3">
          <Button
            wide
            onClick={() => {
              setShown(shown + moreShown);
              if (shown + moreShown > updates.length && history.hasMore) history.loadMore();
            }}
            pending={history.loadingMore}
            pendingLabel={t("operator.list.loadingMore")}
          >
            {t("operator.list.more")}
          </Button>
        </div>
      )}
    </section>
  );
}

/** Not shown while offline with a cached list, because the banner covers that. */
function Failure({ page: { history } }: { page: OperatorPageState }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const byPin = useSessionState(({ status }) => status === "pin");
  const { error, state } = history;
  if (!error) return null;
  if (byPin) return <p className="mb-3 text-sm">{t("operator.list.byPin")}</p>;
  const { status } = toFailure(error);
  if (state !== "failed" && (status === 0 || status === 401)) return null;
  return (
    <div className="mb-3">
      <ErrorPanel
        title={t("operator.list.failed")}
        reason={errorText(error)}
        onRetry={history.refetch}
        retrying={history.refreshing}
      />
    </div>
  );
}

function Days({
  updates,
  limit,
  machineOf,
  corrected,
  onCorrect,
}: {
  updates: readonly OwnUpdate[];
  limit: number;
  machineOf: OperatorPageState["machineOf"];
  corrected: ReadonlySet<string>;
  onCorrect: (update: OwnUpdate) => void;
}) {
  const when = useWhen();
  return byDay(updates, limit, (instant) => when.day(instant)).map(({ day, updates: ofDay }) => (
    <section key={day} aria-label={day} className="border-t border-line first:border-t-0">
      <h3 className="bg-sunken px-4 py-1.5 text-sm font-semibold text-muted">{day}</h3>
      <ul className="divide-y divide-line">
        {ofDay.map((update) => (
          <SentItem
            key={update.id}
            update={update}
            machine={machineOf(update.equipmentId)}
            corrected={corrected.has(update.id)}
            onCorrect={() => onCorrect(update)}
          />
        ))}
      </ul>
    </section>
  ));
}

/** Groups by the day of the reading, not of sending. */
function byDay(updates: readonly OwnUpdate[], limit: number, nameOf: (instant: Date) => string) {
  const newestFirst = updates.toSorted(
    (one, other) => readAt(other).getTime() - readAt(one).getTime(),
  );
  const days: { day: string; updates: OwnUpdate[] }[] = [];
  for (const update of newestFirst.slice(0, limit)) {
    const day = nameOf(readAt(update));
    const last = days.at(-1);
    if (last?.day === day) last.updates.push(update);
    else days.push({ day, updates: [update] });
  }
  return days;
}
