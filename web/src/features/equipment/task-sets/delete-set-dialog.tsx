import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { TaskSetService, type TaskSet } from "#/api/gen/hourmeter/equipment/v1/task_sets_pb";
import { useWrite } from "#/shared/form/use-write";
import { toast } from "#/shared/toast/store";
import { AlertDialog } from "#/shared/ui/alert-dialog";
import { Notice } from "#/shared/ui/notice";
import { useRefreshEquipment } from "../queries";

export function DeleteSetDialog({ set, onClose }: { set: TaskSet; onClose: () => void }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const refresh = useRefreshEquipment();
  const { id, name } = set;
  const remove = useWrite(TaskSetService.method.deleteTaskSet, {
    onSuccess: () => {
      toast.success(t("task-sets.delete.done"), name);
      onClose();
      void refresh();
    },
  });
  return (
    <AlertDialog
      open
      onOpenChange={onClose}
      title={t("task-sets.delete.title", { name })}
      description={t("task-sets.delete.text")}
      confirmLabel={t("task-sets.card.delete")}
      pendingLabel={t("equipment-dialogs.delete.pending")}
      pending={remove.isPending}
      onConfirm={() => remove.mutate({ id })}
    >
      {remove.error && (
        <div className="mt-3">
          <Notice tone="danger">{errorText(remove.error)}</Notice>
        </div>
      )}
    </AlertDialog>
  );
}
