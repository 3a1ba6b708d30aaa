import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import {
  EquipmentService,
  MeterUnit,
  type Equipment,
  type ServiceTask,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { FormDialog } from "#/shared/form/form-dialog";
import { showFieldErrors, useAppForm } from "#/shared/form/use-app-form";
import { useWrite } from "#/shared/form/use-write";
import { toast } from "#/shared/toast/store";
import { Button } from "#/shared/ui/button";
import { Dialog } from "#/shared/ui/dialog";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { SkeletonRows } from "#/shared/ui/skeleton";
import { useCompanyDay } from "#/shared/use-company-day";
import { tasksQuery } from "../detail/queries";
import { MovedNotice } from "../meters/moved-notice";
import { useSeen } from "../meters/use-seen";
import { useRefreshEquipment } from "../queries";
import { ServiceFields } from "./service-fields";
import { newService, serviceSchema, toService } from "./service-schema";
import { isDue } from "./is-due";
import { TaskChoice } from "./task-choice";
import { useMeterQuestion } from "./use-meter-question";
import { numberedName } from "#/shared/words/numbered-name";
import { useUndoEntries } from "./use-undo-changes";

/** Asks what was done, when and at which meter; loads the machine's tasks first. */
export function ServicedDialog(props: { equipment: Equipment; onClose: () => void }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const { equipment, onClose } = props;
  const query = useQuery(tasksQuery(useTransport(), equipment.id));
  const tasks = query.data?.tasks ?? [];
  if (tasks.length > 0) return <ServicedForm {...props} tasks={tasks} />;
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t("equipment-dialogs.serviced.title", {
        name: numberedName(equipment.name, equipment),
      })}
    >
      {query.isSuccess && (
        <>
          <p className="mb-4">{t("equipment-detail.done.noPlan")}</p>
          <Button asChild variant="primary">
            <Link to="/add-equipment" search={{ edit: equipment.id }} onClick={onClose}>
              {t("equipment-detail.done.addPlan")}
            </Link>
          </Button>
        </>
      )}
      {query.error && (
        <ErrorPanel
          title={t("equipment-detail.tasks.failed")}
          reason={errorText(query.error)}
          onRetry={() => void query.refetch()}
          retrying={query.isFetching}
        />
      )}
      {query.isPending && <SkeletonRows rows={4} label={t("common.loading")} />}
    </Dialog>
  );
}

function ServicedForm({
  equipment,
  tasks,
  onClose,
}: {
  equipment: Equipment;
  tasks: readonly ServiceTask[];
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const refresh = useRefreshEquipment();
  const undo = useUndoEntries();
  const { seen, moved, forget, explains, lookAgain } = useSeen(equipment);
  const today = useCompanyDay();
  const form = useAppForm(serviceSchema(today), {
    ...newService(today),
    taskIds: dueIds(tasks),
  });
  const serviced = useWrite(EquipmentService.method.markServiced, {
    onSuccess: ({ equipment: now, entryIds }) => {
      toast.success(
        t("equipment-dialogs.serviced.done"),
        t("equipment-dialogs.serviced.doneText", { name: equipment.name }),
        undo(equipment.id, entryIds),
      );
      onClose();
      void refresh(now);
    },
    onError: async (error) => {
      const isShown = showFieldErrors(form, error, ["performedAt", "meter", "cost", "notes"]);
      const found = await lookAgain(error);
      if (found) void refresh();
      if (found?.explained || isShown) return;
      toast.failure(t("equipment-dialogs.error"), t("equipment-dialogs.serviced.failed"));
    },
  });
  const day = form.watch("performedAt") || today;
  const { submit, question } = useMeterQuestion(form, seen, day, (values) => {
    forget();
    serviced.mutate({
      id: equipment.id,
      ...toService(values, seen),
      taskIds: values.taskIds,
    });
  });
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t("equipment-dialogs.serviced.title", {
        name: numberedName(equipment.name, equipment),
      })}
      description={
        equipment.unit === MeterUnit.NOT_APPLICABLE
          ? t("equipment-dialogs.serviced.textWithoutMeter")
          : equipment.hasScheduledMaintenance
            ? t("equipment-dialogs.serviced.textWithSchedule")
            : t("equipment-dialogs.serviced.text")
      }
      onSubmit={form.handleSubmit(submit)}
      loading={serviced.isPending}
      submitError={
        serviced.error && !explains(serviced.error)
          ? errorText(serviced.error, "equipment-dialogs.serviced.failed")
          : null
      }
      toasted
      submitLabel={t("equipment-dialogs.serviced.submit")}
      pendingLabel={t("equipment-dialogs.serviced.pending")}
    >
      <MovedNotice moved={moved} seen={seen} />
      {tasks.length > 1 && <TaskChoice control={form.control} tasks={tasks} equipment={seen} />}
      <ServiceFields form={form} seen={seen} tasks={tasks} />
      {question}
    </FormDialog>
  );
}

/** The due tasks; without one, the form's. */
function dueIds(tasks: readonly ServiceTask[]): string[] {
  const due = tasks.filter(isDue);
  const ticked = due.length > 0 ? due : tasks.filter((task) => task.fromForm);
  return (ticked.length > 0 ? ticked : tasks.slice(0, 1)).map(({ id }) => id);
}
