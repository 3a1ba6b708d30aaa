import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { toFailure } from "#/api/errors";
import {
  EquipmentService,
  type RetiredEquipment,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { useWrite } from "#/shared/form/use-write";
import { toast } from "#/shared/toast/store";
import { AlertDialog } from "#/shared/ui/alert-dialog";
import { Notice } from "#/shared/ui/notice";
import { useRefreshEquipment } from "./use-refresh-equipment";

/** Restores equipment; a refusal stays in the dialog, with a link to larger plans if that helps. */
export function RestoreDialog({ row, onClose }: { row: RetiredEquipment; onClose: () => void }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const refresh = useRefreshEquipment();
  const { name } = row;
  const restore = useWrite(EquipmentService.method.restoreEquipment, {
    onSuccess: () => {
      toast.success(t("retired.restore.done"), t("retired.restore.doneText", { name }));
      onClose();
    },
    // Also after a refusal: someone else may have restored it.
    onSettled: () => void refresh(),
  });
  const full = restore.error && toFailure(restore.error).code === "EQUIPMENT_LIMIT_REACHED";
  return (
    <AlertDialog
      open
      onOpenChange={onClose}
      tone="primary"
      title={t("retired.restore.sure", { name })}
      description={t("retired.restore.text")}
      confirmLabel={t("retired.restore.confirm")}
      pendingLabel={t("retired.restore.pending")}
      pending={restore.isPending}
      onConfirm={() => restore.mutate({ id: row.id })}
    >
      {restore.error && (
        <div className="mt-3">
          <Notice tone="danger">
            {errorText(restore.error, "retired.restore.failed")}
            {full && (
              <Link to="/subscription" className="mt-1 block w-fit font-semibold underline">
                {t("retired.restore.seePlans")}
              </Link>
            )}
          </Notice>
        </div>
      )}
    </AlertDialog>
  );
}
