import { TriangleAlert, X } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "#/shared/ui/button";
import type { Summary } from "./use-apply-many";

/** The outcome of a bulk apply that did not fully succeed; stays until dismissed. */
export function BulkSummary({ summary, onDismiss }: { summary: Summary; onDismiss: () => void }) {
  const { t } = useTranslation();
  return (
    <div
      role="status"
      className="mb-4 flex animate-[appear_150ms] items-start gap-3 rounded-card border border-line bg-raised py-2.5 pr-2 pl-4"
    >
      <TriangleAlert aria-hidden className="mt-1 size-4 shrink-0 text-muted" />
      <div className="min-w-0 flex-1 py-0.5">
        {summary.applied > 0 && (
          <p className="font-semibold">{t("review.summary.applied", { count: summary.applied })}</p>
        )}
        {summary.refused > 0 && <p>{t("review.summary.left", { count: summary.refused })}</p>}
        {summary.unknown > 0 && <p>{t("review.summary.unknown", { count: summary.unknown })}</p>}
        {summary.rest > 0 && <p>{t("review.summary.rest", { total: summary.rest })}</p>}
        {summary.applied > 0 && <p className="text-sm text-muted">{t("review.summary.undo")}</p>}
      </div>
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
