import { TriangleAlert, X } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "#/shared/ui/button";
import { undoMs } from "../use-undo";
import { useIsBefore } from "./use-is-before";
import { useSummaryTexts, type Summary } from "./use-decide-many";

/** The outcome of a bulk decision that did not fully succeed; stays until dismissed. */
export function BulkSummary({
  summary,
  onUndo,
  onDismiss,
}: {
  summary: Summary;
  onUndo: () => void;
  onDismiss: () => void;
}) {
  const { t } = useTranslation();
  const { done, problems } = useSummaryTexts()(summary);
  const canUndo = useIsBefore(summary.startedAt + undoMs);
  return (
    <div
      role="status"
      className="mb-4 flex animate-[appear_150ms] items-start gap-3 rounded-card border border-line bg-raised py-2.5 pr-2 pl-4"
    >
      <TriangleAlert aria-hidden className="mt-1 size-4 shrink-0 text-muted" />
      <div className="min-w-0 flex-1 py-0.5">
        {summary.done.length > 0 && <p className="font-semibold">{done}</p>}
        {problems.map((problem) => (
          <p key={problem}>{problem}</p>
        ))}
      </div>
      {summary.done.length > 0 && canUndo && (
        <Button size="small" onClick={onUndo}>
          {t("review.undo.action")}
        </Button>
      )}
      <Button
        variant="quiet"
        size="small"
        icon
        aria-label={t("review.summary.dismiss")}
        onClick={onDismiss}
      >
        <X aria-hidden className="size-4" />
      </Button>
    </div>
  );
}
