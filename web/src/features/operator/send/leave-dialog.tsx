import { useTranslation } from "react-i18next";
import { AlertDialog } from "#/shared/ui/alert-dialog";

/** Asks whether to log out while updates are unsent. `unsent` is 0 when the number is unknown. */
export function LeaveDialog({
  open,
  unsent,
  onAnswer,
}: {
  open: boolean;
  unsent: number;
  onAnswer: (leave: boolean) => void;
}) {
  const { t } = useTranslation();
  return (
    <AlertDialog
      open={open}
      onOpenChange={(next) => {
        if (!next) onAnswer(false);
      }}
      title={t("operator.outbox.leaveTitle")}
      description={
        unsent === 0
          ? t("operator.outbox.leaveUnknown")
          : t("operator.outbox.leaveText", { count: unsent })
      }
      confirmLabel={t("operator.outbox.leave")}
      onConfirm={() => onAnswer(true)}
    />
  );
}
