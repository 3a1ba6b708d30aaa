import { useQuery } from "@connectrpc/connect-query";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { toFailure } from "#/api/errors";
import { EquipmentService } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { RestoreDialog } from "#/shared/restore/restore-dialog";
import { Button } from "#/shared/ui/button";
import { Dialog } from "#/shared/ui/dialog";

/** Restores the retired machine of an update; says so if it was deleted. */
export function RestoreQuestion({
  update: { equipmentId, equipmentName: name },
  onClose,
}: {
  update: OperatorUpdate;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const { data, error } = useQuery(EquipmentService.method.getRetired, { equipmentId });
  if (data?.retired) return <RestoreDialog row={data.retired} onClose={onClose} />;
  if (!error) return null;
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t("retired.restore.name", { name })}
      footer={<Button onClick={onClose}>{t("common.close")}</Button>}
    >
      <p>
        {toFailure(error).status === 404
          ? t("review.entry.deleted", { name })
          : errorText(error, "retired.restore.failed")}
      </p>
    </Dialog>
  );
}
