import { useBlocker } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { AlertDialog } from "#/shared/ui/alert-dialog";

/** Asks before typed values are lost, whether by a link, the back button or closing the tab. */
export function LeaveGuard({
  dirty,
  text,
}: {
  dirty: () => boolean;
  /** What is lost, if not all that was typed. */
  text?: string | undefined;
}) {
  const { t } = useTranslation();
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: dirty,
    enableBeforeUnload: dirty,
    withResolver: true,
  });
  return (
    <AlertDialog
      open={status === "blocked"}
      onOpenChange={(open) => {
        if (!open) reset?.();
      }}
      title={t("common.leave.title")}
      description={text ?? t("common.leave.text")}
      confirmLabel={t("common.leave.confirm")}
      cancelLabel={t("common.leave.stay")}
      onConfirm={() => proceed?.()}
    />
  );
}
