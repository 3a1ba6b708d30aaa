import { useTranslation } from "react-i18next";
import { AlertDialog } from "#/shared/ui/alert-dialog";

/** Applies also what is not on screen, so it asks for confirmation. */
export function ApplyAllDialog({
  open,
  count,
  onOpenChange,
  onConfirm,
}: {
  open: boolean;
  count: number;
  onOpenChange: (open: boolean) => void;
  onConfirm: () => void;
}) {
  const { t } = useTranslation();
  return (
    <AlertDialog
      open={open}
      onOpenChange={onOpenChange}
      title={t("review.all.title", { count })}
      description={t("review.all.text")}
      tone="primary"
      confirmLabel={t("review.all.submit")}
      onConfirm={onConfirm}
    />
  );
}
