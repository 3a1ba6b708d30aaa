import { LoaderCircle } from "lucide-react";
import { useTranslation } from "react-i18next";
import { Button } from "#/shared/ui/button";
import type { Confirmation } from "./use-return";

/** Shown between a payment and its confirmation. */
export function ConfirmationNotice({
  confirmation,
  again,
}: {
  confirmation: Confirmation;
  again: () => void;
}) {
  const { t } = useTranslation();
  return (
    <div role="status">
      {confirmation !== "none" && (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-card border border-line bg-accent-soft px-4 py-3">
          {confirmation === "waiting" && (
            <LoaderCircle aria-hidden className="size-4 shrink-0 animate-spin text-accent" />
          )}
          <p className="min-w-0 flex-1 basis-64">
            {confirmation === "waiting"
              ? t("subscription.return.waiting")
              : t("subscription.return.late")}
          </p>
          {confirmation === "late" && (
            <Button size="small" onClick={again}>
              {t("subscription.return.again")}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}
