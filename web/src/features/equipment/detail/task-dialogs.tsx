import { useTranslation } from "react-i18next";
import { fieldMessage, useErrorText } from "#/api/error-text";
import { toFailure } from "#/api/errors";
import {
  EquipmentService,
  type Equipment,
  type ServiceTask,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { useWrite } from "#/shared/form/use-write";
import { useCompanyDay } from "#/shared/use-company-day";
import { FormDialog } from "#/shared/form/form-dialog";
import { showFieldErrors, useAppForm } from "#/shared/form/use-app-form";
import { toast } from "#/shared/toast/store";
import { AlertDialog } from "#/shared/ui/alert-dialog";
import { Notice } from "#/shared/ui/notice";
import { useRefreshEquipment } from "../queries";
import { TaskFields } from "./task-fields";
import { TaskOptions, TaskPreviewLine } from "./task-options";
import {
  blankTask,
  taskSchema,
  toTaskChange,
  toTaskInput,
  valuesOfTask,
  type TaskValues,
} from "./task-schema";

const serverFields = [
  "name",
  "usageInterval",
  "lastDoneUsage",
  "calendarInterval",
  "calendarUnit",
  "lastDoneOn",
  "basis",
  "firstDueUsage",
  "firstDueDate",
  "warningDays",
] as const;

export function TaskDialog({
  equipment,
  task,
  onClose,
}: {
  equipment: Equipment;
  task: ServiceTask | null;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const today = useCompanyDay();
  const isRegular = task?.fromForm ?? false;
  const initial = task
    ? {
        ...valuesOfTask(task),
        name: isRegular ? t("equipment-detail.tasks.regular") : task.name,
      }
    : blankTask;
  // The form's schedule may begin later than today.
  const latest = task && task.lastDoneOn > today ? task.lastDoneOn : today;
  const form = useAppForm<TaskValues>(taskSchema(latest), initial);
  const saving = useSaveTask(equipment, task, initial, form, onClose);
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={
        isRegular
          ? t("equipment-detail.tasks.regular")
          : task
            ? t("equipment-detail.tasks.editTitle")
            : t("equipment-detail.tasks.addTitle")
      }
      description={
        isRegular ? t("equipment-detail.tasks.regularText") : t("equipment-detail.tasks.dialogText")
      }
      onSubmit={form.handleSubmit(saving.save)}
      loading={saving.pending}
      submitError={saving.error}
      submitLabel={task ? t("equipment-detail.tasks.save") : t("equipment-detail.tasks.add")}
      pendingLabel={task ? t("equipment-detail.tasks.saving") : t("equipment-detail.tasks.adding")}
    >
      <TaskFields control={form.control} equipment={equipment} task={task} />
      <TaskPreviewLine control={form.control} equipment={equipment} task={task} />
      <TaskOptions
        control={form.control}
        equipment={equipment}
        initial={initial}
        openAtFirst={isRegular}
      />
    </FormDialog>
  );
}

function useSaveTask(
  equipment: Equipment,
  task: ServiceTask | null,
  initial: TaskValues,
  form: ReturnType<typeof useAppForm<TaskValues>>,
  onClose: () => void,
) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const refresh = useRefreshEquipment();
  const outcome = (title: string) => ({
    onSuccess: () => {
      const name = form.getValues("name").trim();
      toast.success(
        title,
        task?.fromForm
          ? t("equipment-detail.tasks.regularSaved")
          : t("equipment-detail.tasks.savedText", { name }),
      );
      onClose();
      void refresh();
    },
    onError: (error: Error) => {
      showFieldErrors(form, error, serverFields);
      const { warningPercent, warningUsage } = toFailure(error).fields;
      const warning = warningPercent ?? warningUsage;
      if (warning)
        form.setError("warning", {
          type: "server",
          message: fieldMessage(warning),
        });
    },
  });
  const add = useWrite(
    EquipmentService.method.createServiceTask,
    outcome(t("equipment-detail.tasks.added")),
  );
  const change = useWrite(
    EquipmentService.method.updateServiceTask,
    outcome(t("equipment-detail.tasks.changed")),
  );
  const error = add.error ?? change.error;
  const tooMany = error !== null && toFailure(error).code === "TOO_MANY_TASKS";
  return {
    save: (values: TaskValues) =>
      task
        ? change.mutate({
            equipmentId: equipment.id,
            taskId: task.id,
            task: toTaskChange(initial, values),
          })
        : add.mutate({ equipmentId: equipment.id, task: toTaskInput(values) }),
    pending: add.isPending || change.isPending,
    error: tooMany
      ? t("equipment-detail.tasks.tooMany")
      : error && errorText(error, "equipment-detail.tasks.saveFailed"),
  };
}

/** Past services stay in the history, so one confirmation is enough. */
export function DeleteTaskDialog({
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
  const { name } = task;
  const remove = useWrite(EquipmentService.method.deleteServiceTask, {
    onSuccess: () => {
      toast.success(
        t("equipment-detail.tasks.deleted"),
        t("equipment-detail.tasks.deletedText", { name }),
      );
      onClose();
      void refresh();
    },
  });
  return (
    <AlertDialog
      open
      onOpenChange={onClose}
      title={t("equipment-detail.tasks.deleteTitle", { name })}
      description={t("equipment-detail.tasks.deleteText")}
      confirmLabel={t("equipment-detail.tasks.delete")}
      pendingLabel={t("equipment-dialogs.delete.pending")}
      pending={remove.isPending}
      onConfirm={() => remove.mutate({ equipmentId: equipment.id, taskId: task.id })}
    >
      {remove.error && (
        <div className="mt-3">
          <Notice tone="danger">
            {errorText(remove.error, "equipment-detail.tasks.deleteFailed")}
          </Notice>
        </div>
      )}
    </AlertDialog>
  );
}
