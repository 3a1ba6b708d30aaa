import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { toFailure } from "#/api/errors";
import {
  EquipmentService,
  type Equipment,
  type ServiceTask,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { FormDialog } from "#/shared/form/form-dialog";
import { showFieldErrors, useAppForm } from "#/shared/form/use-app-form";
import { useWrite } from "#/shared/form/use-write";
import { toast } from "#/shared/toast/store";
import { useCompanyDay } from "#/shared/use-company-day";
import { ServiceFields } from "../dialogs/service-fields";
import { newService, serviceSchema, toService } from "../dialogs/service-schema";
import { useMeterQuestion } from "../dialogs/use-meter-question";
import { useUndoEntries } from "../dialogs/use-undo-changes";
import { MovedNotice } from "../meters/moved-notice";
import { useSeen } from "../meters/use-seen";
import { useRefreshEquipment } from "../queries";

export function TaskDoneDialog({
  equipment,
  task,
  onClose,
}: {
  equipment: Equipment;
  task: ServiceTask;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const refresh = useRefreshEquipment();
  const undo = useUndoEntries();
  const { seen, moved, forget, explains, lookAgain } = useSeen(equipment);
  const name = task.fromForm ? t("equipment-detail.tasks.regular") : task.name;
  const today = useCompanyDay();
  const form = useAppForm(serviceSchema(today), {
    ...newService(today),
    taskIds: [task.id],
  });
  const done = useWrite(EquipmentService.method.completeServiceTask, {
    onSuccess: ({ equipment: now, entryIds }) => {
      toast.success(
        t("equipment-detail.done.toast"),
        t("equipment-detail.done.toastText", { name }),
        undo(equipment.id, entryIds),
      );
      onClose();
      void refresh(now);
    },
    onError: async (error) => {
      showFieldErrors(form, error, ["performedAt", "meter", "cost", "notes"]);
      if (await lookAgain(error)) void refresh();
    },
  });
  const day = form.watch("performedAt") || today;
  const { submit, question } = useMeterQuestion(form, seen, day, (values) => {
    forget();
    done.mutate({
      equipmentId: equipment.id,
      taskId: task.id,
      ...toService(values, seen),
    });
  });
  const noPlan = done.error !== null && toFailure(done.error).code === "NO_SERVICE_PLAN";
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t("equipment-detail.done.title", { name })}
      description={t("equipment-detail.done.text")}
      onSubmit={form.handleSubmit(submit)}
      loading={done.isPending}
      submitError={
        noPlan
          ? t("equipment-detail.done.noPlan")
          : done.error && !explains(done.error)
            ? errorText(done.error, "equipment-detail.done.failed")
            : null
      }
      submitLabel={t("equipment-detail.done.submit")}
      pendingLabel={t("equipment-dialogs.serviced.pending")}
    >
      <MovedNotice moved={moved} seen={seen} />
      <ServiceFields form={form} seen={seen} tasks={[task]} />
      {question}
    </FormDialog>
  );
}
