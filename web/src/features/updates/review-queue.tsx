import { Inbox, RefreshCw } from "lucide-react";
import { useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { Button } from "#/shared/ui/button";
import { Card } from "#/shared/ui/card";
import { Empty } from "#/shared/ui/empty";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { SkeletonRows } from "#/shared/ui/skeleton";
import { Checkbox } from "#/shared/ui/toggle";
import { MoreButton } from "./more-button";
import { rowsOf, usePendingCount, usePendingUpdates, type EquipmentById } from "./queries";
import { queueId } from "./review-line";
import { RejectDialog } from "./reject-dialog";
import { ReplaceDialog } from "./replace-dialog";
import { ReviewRow } from "./review-row";
import type { Review } from "./use-review";

/** The dialog that is open, and about which update. */
type Question = { kind: "replace" | "reject"; update: OperatorUpdate };

export function ReviewQueue({ equipment, review }: { equipment: EquipmentById; review: Review }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const query = usePendingUpdates();
  const count = usePendingCount();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [question, setQuestion] = useState<Question | null>(null);
  const rows = rowsOf(query);

  const apply = async (update: OperatorUpdate) => {
    if (update.belowCurrent) return setQuestion({ kind: "replace", update });
    const decision = await review.apply(update);
    // The meter may have moved on since the list was loaded.
    if (decision === "below") setQuestion({ kind: "replace", update });
  };
  const closeQuestion = () => setQuestion(null);
  return (
    <Card
      id={queueId}
      flush
      title={t("updates.queue.title")}
      description={count ? t("updates.queue.count", { count }) : t("updates.queue.text")}
      actions={
        <Button
          size="small"
          onClick={() => void query.refetch()}
          pending={query.isRefetching && !query.isFetchingNextPage}
          pendingLabel={t("updates.queue.refreshing")}
        >
          <RefreshCw aria-hidden className="size-4" />
          {t("updates.queue.refresh")}
        </Button>
      }
    >
      {query.error && (
        <div className="px-4 pb-4 md:px-5">
          <ErrorPanel
            title={t("updates.queue.failed")}
            reason={errorText(query.error)}
            onRetry={() => void query.refetch()}
            retrying={query.isFetching}
          />
        </div>
      )}
      {query.isPending && <SkeletonRows rows={3} label={t("common.loading")} />}
      {query.isSuccess && rows.length === 0 && (
        <Empty
          icon={<Inbox aria-hidden />}
          title={t("updates.queue.empty")}
          description={t("updates.queue.emptyText")}
        />
      )}
      {rows.length > 0 && (
        <>
          <SelectionBar rows={rows} selected={selected} onSelect={setSelected} review={review} />
          <ul aria-label={t("updates.queue.title")} className="@container divide-y divide-line">
            {rows.map((update) => (
              <ReviewRow
                key={update.id}
                update={update}
                equipment={equipment.get(update.equipmentId)}
                selected={selected.has(update.id)}
                onSelect={(on) => setSelected(withId(selected, update.id, on))}
                busy={review.isBusy(update.id)}
                problem={review.problemOf(update.id)}
                onApply={() => void apply(update)}
                onReject={() => setQuestion({ kind: "reject", update })}
              />
            ))}
          </ul>
        </>
      )}
      <MoreButton query={query} />
      {question?.kind === "replace" && (
        <ReplaceDialog
          update={question.update}
          equipment={equipment.get(question.update.equipmentId)}
          review={review}
          onClose={closeQuestion}
          onReject={() => setQuestion({ kind: "reject", update: question.update })}
        />
      )}
      {question?.kind === "reject" && (
        <RejectDialog update={question.update} review={review} onClose={closeQuestion} />
      )}
    </Card>
  );
}

function withId(ids: ReadonlySet<string>, id: string, on: boolean): ReadonlySet<string> {
  const next = new Set(ids);
  if (on) next.add(id);
  else next.delete(id);
  return next;
}

/** A reading below the meter needs a decision of its own, so it can't be among the selected. */
function canSelect(update: OperatorUpdate): boolean {
  return !update.belowCurrent;
}

function SelectionBar({
  rows,
  selected,
  onSelect,
  review,
}: {
  rows: readonly OperatorUpdate[];
  selected: ReadonlySet<string>;
  onSelect: (ids: ReadonlySet<string>) => void;
  review: Review;
}) {
  const { t } = useTranslation();
  const id = useId();
  const selectable = rows.filter(canSelect).map((update) => update.id);
  // Rows that were decided meanwhile are gone from the list, and with it from the selection.
  const chosen = selectable.filter((each) => selected.has(each));
  if (selectable.length === 0) return null;
  const all = chosen.length === selectable.length;
  const applySelected = async () => {
    await review.applyMany(chosen);
    onSelect(new Set());
  };
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-y border-line bg-sunken px-4 py-2 md:px-5">
      <div className="flex min-h-11 items-center gap-3 md:min-h-8">
        <Checkbox
          id={id}
          checked={all}
          onChange={() => onSelect(all ? new Set() : new Set(selectable))}
        />
        <label htmlFor={id} className="cursor-pointer text-sm font-semibold">
          {chosen.length > 0
            ? t("updates.queue.selected", { count: chosen.length })
            : t("updates.queue.selectAll")}
        </label>
      </div>
      <Button
        size="small"
        variant={chosen.length > 0 ? "primary" : "secondary"}
        onClick={() => void applySelected()}
        pending={chosen.some(review.isBusy)}
        pendingLabel={t("updates.queue.applying")}
        disabledReason={chosen.length === 0 ? t("updates.queue.selectFirst") : undefined}
      >
        {t("updates.queue.applySelected")}
      </Button>
    </div>
  );
}
