import { Link } from "@tanstack/react-router";
import { Check, Printer } from "lucide-react";
import { useMemo, useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import {
  UpdateStatus,
  type ListReviewResponse,
} from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { Button } from "#/shared/ui/button";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { Notice } from "#/shared/ui/notice";
import { PageHeader } from "#/shared/ui/page-header";
import { Shown } from "#/shared/ui/shown";
import { SkeletonRows } from "#/shared/ui/skeleton";
import { Tabs } from "#/shared/ui/tabs";
import { useZoneNote } from "#/shared/use-zone-note";
import { isFlagged } from "../flags";
import { useEquipmentById, useReviewQuery } from "../queries";
import { withDecided } from "../use-decided";
import { useDecisions } from "../use-decisions";
import { BulkSummary } from "./bulk-summary";
import { DecidedList } from "./decided-list";
import { ReviewList } from "./review-list";
import type { ReviewSearch } from "./search";
import { TakenBackCard } from "./taken-back-card";
import { useBlocked } from "./use-blocked";
import { undoable, useDecideMany } from "./use-decide-many";
import { useReviewPrint } from "./use-review-print";

export function ReviewPage({
  search: { tab, decision, unflagged: filtered, update: focused, takenBack },
  onSearch,
}: {
  search: ReviewSearch;
  onSearch: (search: ReviewSearch) => void;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const { query, review, updates } = useReviewQuery();
  const decisions = useDecisions();
  const many = useDecideMany(decisions);
  const blocked = useBlocked();
  const onlyUnflagged = filtered === true;
  const filterTo = (on: boolean) => onSearch(on ? { unflagged: true } : {});
  const unflagged = review ? Math.max(0, review.pendingCount - review.flaggedCount) : 0;
  const canFilter = unflagged > 0 && review !== undefined && review.flaggedCount > 0;
  const { decided } = decisions;
  const listed = useMemo(
    () => withDecided(updates, decided, UpdateStatus.PENDING),
    [updates, decided],
  );
  const equipment = useEquipmentById(listed);
  // Its names, meters and fixes determine the height of the rows.
  const isListed = review !== undefined && (listed.length === 0 || equipment !== undefined);
  // What the first complete list says; later the user may have decided it here.
  const [found, setFound] = useState<{ id: string; waiting: boolean }>();
  const isComplete = review !== undefined && listed.length >= review.pendingCount;
  if (isComplete && focused !== undefined && found?.id !== focused) {
    setFound({ id: focused, waiting: listed.some(({ id }) => id === focused) });
  }
  const shown = useMemo(
    () => (onlyUnflagged ? listed.filter((update) => !isFlagged(update)) : listed),
    [listed, onlyUnflagged],
  );
  const print = useReviewPrint();
  const undecided = shown.filter(({ id }) => !decided.has(id));
  const zoneNote = useZoneNote();
  const printUndecided = () => {
    const total = review?.pendingCount ?? undecided.length;
    const note = [
      undecided.length < total
        ? t("review.filter.shown", { shown: undecided.length, total })
        : t("review.waiting", { count: total }),
      onlyUnflagged && t("review.filter.unflagged"),
      zoneNote,
    ];
    print(undecided, equipment, note.filter(Boolean).join(" · "));
  };
  return (
    <>
      <PageHeader
        title={t("review.title")}
        description={
          review ? (
            <>
              <Counts review={review} />
              {onlyUnflagged && shown.length > 0 && (
                <span className="block">
                  <Shown onClear={() => filterTo(false)}>
                    {t("review.filter.shown", { shown: shown.length, total: listed.length })}
                  </Shown>
                </span>
              )}
              {zoneNote && <span className="block">{zoneNote}</span>}
            </>
          ) : (
            t("review.text")
          )
        }
        actions={
          !tab && (
            <>
              {(canFilter || onlyUnflagged) && (
                <Button
                  size="small"
                  aria-pressed={onlyUnflagged}
                  onClick={() => filterTo(!onlyUnflagged)}
                >
                  {onlyUnflagged && <Check aria-hidden className="size-4" />}
                  {t("review.filter.unflagged")}
                </Button>
              )}
              {isListed && undecided.length > 0 && (
                <Button size="small" onClick={printUndecided}>
                  <Printer aria-hidden className="size-4" />
                  {t("review.print.action")}
                </Button>
              )}
            </>
          )
        }
      />
      {blocked !== undefined && (
        <div className="mb-4">
          <Notice>
            {t("review.inactive")}{" "}
            <Link
              to="/subscription"
              className="font-semibold whitespace-nowrap text-accent underline underline-offset-3"
            >
              {t("review.subscription")}
            </Link>
          </Notice>
        </div>
      )}
      <Tabs
        label={t("review.title")}
        value={tab ?? "waiting"}
        tabs={[
          {
            value: "waiting",
            label: review?.pendingCount
              ? t("review.tabs.waitingCount", { total: review.pendingCount })
              : t("review.tabs.waiting"),
          },
          { value: "decided", label: t("review.tabs.decided") },
        ]}
        onChange={(next) => onSearch(next === "decided" ? { tab: next } : {})}
      >
        {tab ? (
          <DecidedList
            filter={decision}
            blocked={blocked}
            onFilter={(next) => onSearch({ tab, ...(next && { decision: next }) })}
            onDecideAgain={(id) => onSearch({ takenBack: id })}
          />
        ) : (
          <>
            {many.summary && (
              <BulkSummary
                summary={many.summary}
                onUndo={() => {
                  if (many.summary) {
                    const { done, kind } = many.summary;
                    void decisions.undo.undo(done, undoable[kind]);
                  }
                  many.dismiss();
                }}
                onDismiss={many.dismiss}
              />
            )}
            {query.error && (
              <div className="mb-4">
                <ErrorPanel
                  title={t("review.queue.failed")}
                  reason={errorText(query.error)}
                  onRetry={() => void query.refetch()}
                  retrying={query.isFetching}
                />
              </div>
            )}
            {(query.isPending || (review && !isListed)) && (
              <Sheet>
                <SkeletonRows label={t("common.loading")} />
              </Sheet>
            )}
            {focused !== undefined && found?.id === focused && !found.waiting && (
              <div className="mb-4">
                <Notice>
                  {t("review.alreadyDecided")}{" "}
                  <Link
                    to="/review"
                    search={{ tab: "decided" }}
                    className="font-semibold whitespace-nowrap text-accent underline underline-offset-3"
                  >
                    {t("review.tabs.decided")}
                  </Link>
                </Notice>
              </div>
            )}
            {isListed && (
              <Sheet>
                <ReviewList
                  // Rows leave without animation when the filter changes.
                  key={String(onlyUnflagged)}
                  updates={shown}
                  hidden={listed.length - shown.length}
                  unflagged={unflagged}
                  equipment={equipment}
                  decisions={decisions}
                  many={many}
                  blocked={blocked}
                  focused={focused}
                />
              </Sheet>
            )}
            <TakenBackCard decisions={decisions} blocked={blocked} focused={takenBack} />
          </>
        )}
      </Tabs>
    </>
  );
}

function Sheet({ children }: { children: ReactNode }) {
  return <div className="rounded-card border border-line bg-raised">{children}</div>;
}

/** "12 updates waiting · 3 need attention"; beyond one response, also how many are shown. */
function Counts({ review }: { review: ListReviewResponse }) {
  const { t } = useTranslation();
  const { pendingCount, flaggedCount, updates } = review;
  if (pendingCount === 0) return t("review.text");
  return (
    <span aria-live="polite">
      {t("review.waiting", { count: pendingCount })}
      {flaggedCount > 0 && ` · ${t("review.flagged", { count: flaggedCount })}`}
      {updates.length < pendingCount && (
        <span className="block">
          {t("review.shown", { shown: updates.length, total: pendingCount })}
        </span>
      )}
    </span>
  );
}
