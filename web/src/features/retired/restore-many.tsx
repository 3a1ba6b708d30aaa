import { callUnaryMethod } from "@connectrpc/connect-query";
import { useTranslation } from "react-i18next";
import {
  EquipmentService,
  type RetiredEquipment,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { useRefreshEquipment } from "#/shared/restore/use-refresh-equipment";
import { useWriteTransport } from "#/shared/form/use-write";
import { ManyDialog } from "#/shared/table/many-dialog";
import { nameOf } from "#/shared/table/use-list-selection";
import { toast } from "#/shared/toast/store";

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
  const transport = useWriteTransport();
  const refresh = useRefreshEquipment();
  const { restoreEquipment } = EquipmentService.method;
  return (
    <ManyDialog
      rows={rows}
      nameOf={nameOf}
      call={({ id }) => callUnaryMethod(transport, restoreEquipment, { id })}
      onRun={(count, left) => {
        void refresh();
        if (count > 0)
          toast.success(t("retired.restore.done"), t("equipment-bulk.doneText", { count }));
        onDone(left.map(({ row }) => row));
      }}
      onClose={onClose}
      texts={({ length }) => ({
        title: t("retired.restoreMany.sure", { count: length }),
        text: t("retired.restoreMany.text"),
        confirm: t("retired.restoreMany.confirm", { count: length }),
        failed: (count) => t("equipment-bulk.failed", { count }),
        retry: (count) => t("equipment-bulk.retry", { count }),
      })}
    />
  );
}
