import { RotateCcw, TriangleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "./button";

/** A failed part of a page, with the reason and a retry. */
export function ErrorPanel({
  title,
  reason,
  onRetry,
  retrying = false,
}: {
  title: string;
  reason: string;
  onRetry?: () => void;
  retrying?: boolean;
}) {
  const { t } = useTranslation();
  return (
    <div
      role="alert"
      className="flex flex-wrap items-center gap-x-4 gap-y-3 rounded-card border border-danger bg-raised p-4"
    >
      <TriangleAlert aria-hidden className="size-5 shrink-0 text-danger" />
      <div className="min-w-0 flex-1 basis-56">
        <p className="font-semibold">{title}</p>
        <p className="text-muted">{reason}</p>
      </div>
      {onRetry && (
        <Button onClick={onRetry} pending={retrying} pendingLabel={t("common.tryingAgain")}>
          <RotateCcw aria-hidden className="size-4" />
          {t("common.tryAgain")}
        </Button>
      )}
    </div>
  );
}
