import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import {
  EquipmentService,
  type Equipment,
  type ServiceTask,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { useWrite } from "#/shared/form/use-write";
import { toast } from "#/shared/toast/store";
import { useRefreshEquipment } from "../queries";

/** Ends the snooze of a task. */
export function useWake(equipment: Equipment, task: ServiceTask) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const refresh = useRefreshEquipment();
  const name = task.name || t("equipment-detail.tasks.regular");
  const wake = useWrite(EquipmentService.method.wakeServiceTask, {
    onSuccess: () => {
      toast.success(t("equipment-detail.snooze.woken", { name }));
      void refresh();
    },
    onError: (error) => toast.failure(errorText(error, "equipment-detail.snooze.wakeFailed")),
  });
  return {
    run: () => wake.mutate({ equipmentId: equipment.id, taskId: task.id }),
    pending: wake.isPending,
  };
}
