import { callUnaryMethod } from "@connectrpc/connect-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import {
  EquipmentService,
  type RetiredEquipment,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { useWriteTransport } from "#/shared/form/use-write";
import { runMany, type Failed } from "#/shared/run-many";
import { toast } from "#/shared/toast/store";
import { AlertDialog } from "#/shared/ui/alert-dialog";
import { Notice } from "#/shared/ui/notice";
import { useRefreshEquipment } from "./queries";

/** Restores several machines; each succeeds or fails on its own. */
export function RestoreMany({
  rows,
  onDone,
  onClose,
}: {
  rows: readonly RetiredEquipment[];
  /** Called with the machines that are still retired. */
  onDone: (left: readonly RetiredEquipment[]) => void;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const transport = useWriteTransport();
  const refresh = useRefreshEquipment();
  const [progress, setProgress] = useState<number | null>(null);
  const [failed, setFailed] = useState<readonly Failed<RetiredEquipment>[]>([]);
  const { restoreEquipment } = EquipmentService.method;
  async function run() {
    setProgress(0);
    const left = await runMany(
      rows,
      ({ id }) => callUnaryMethod(transport, restoreEquipment, { id }),
      setProgress,
    );
    setProgress(null);
    setFailed(left);
    void refresh();
    const count = rows.length - left.length;
    if (count > 0)
      toast.success(t("retired.restore.done"), t("equipment-bulk.doneText", { count }));
    onDone(left.map(({ row }) => row));
    if (left.length === 0) onClose();
  }
  return (
    <AlertDialog
      open
      onOpenChange={onClose}
      tone="primary"
      title={t("retired.restoreMany.sure", { count: rows.length })}
      description={t("retired.restoreMany.text")}
      confirmLabel={
        failed.length > 0
          ? t("equipment-bulk.retry", { count: failed.length })
          : t("retired.restoreMany.confirm", { count: rows.length })
      }
      pendingLabel={t("equipment-bulk.progress", { done: progress ?? 0, total: rows.length })}
      pending={progress !== null}
      onConfirm={() => void run()}
    >
      {failed.length > 0 && progress === null && (
        <div className="mt-3">
          <Notice tone="danger">
            <p className="font-semibold">{t("equipment-bulk.failed", { count: failed.length })}</p>
            <ul className="mt-1 max-h-60 space-y-1 overflow-y-auto text-sm">
              {failed.map(({ row, error }) => (
                <li key={row.id} className="wrap-anywhere">
                  <span className="font-semibold">{row.name}</span>: {errorText(error)}
                </li>
              ))}
            </ul>
          </Notice>
        </div>
      )}
    </AlertDialog>
  );
}
