import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import type {
  Equipment,
  HistoryRecord,
  ServiceTask,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { useFormat } from "#/shared/format/use-format";
import { Button } from "#/shared/ui/button";
import { Card } from "#/shared/ui/card";
import { dialogOnDemand } from "#/shared/ui/dialog-on-demand";
import { Empty } from "#/shared/ui/empty";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { SkeletonRows } from "#/shared/ui/skeleton";
import { MachineSets } from "../task-sets/machine-sets";
import { useSetTexts } from "../task-sets/use-set-texts";
import { servicesQuery, tasksQuery } from "./queries";
import { Records } from "./record-list";
import { DeleteTaskDialog, TaskDialog } from "./task-dialogs";
import { TaskDoneDialog } from "./task-done-dialog";
import { TaskItem, type TaskAction } from "./task-item";
import { visitsOf } from "./visits";

const SnoozeDialog = dialogOnDemand(() =>
  import("./snooze-dialog").then((module) => module.SnoozeDialog),
);

export function ServiceTab({ equipment }: { equipment: Equipment }) {
  return (
    <div data-in-order className="space-y-5">
      <Tasks equipment={equipment} />
      <MachineSets equipment={equipment} />
      <Services equipment={equipment} />
    </div>
  );
}

function Tasks({ equipment }: { equipment: Equipment }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const query = useQuery(tasksQuery(useTransport(), equipment.id));
  const services =
    useQuery(servicesQuery(useTransport(), { equipmentId: equipment.id })).data?.records ?? [];
  const done = new Set(services.filter(({ voiding }) => !voiding).map(({ taskName }) => taskName));
  const setTexts = useSetTexts(equipment.id);
  const [openDialog, setOpenDialog] = useState<{
    action: TaskAction | "add";
    task: ServiceTask | null;
  }>();
  const close = () => setOpenDialog(undefined);
  const tasks = query.data?.tasks;
  const add = (
    <Button
      variant="primary"
      size="small"
      onClick={() => setOpenDialog({ action: "add", task: null })}
    >
      <Plus aria-hidden className="size-4" />
      {t("equipment-detail.tasks.add")}
    </Button>
  );
  return (
    <Card
      flush
      title={t("equipment-detail.tasks.title")}
      description={t("equipment-detail.tasks.text")}
      actions={tasks && tasks.length > 0 ? add : undefined}
    >
      <div className="border-t border-line">
        {query.error && (
          <div className="p-4">
            <ErrorPanel
              title={t("equipment-detail.tasks.failed")}
              reason={errorText(query.error)}
              onRetry={() => void query.refetch()}
              retrying={query.isFetching}
            />
          </div>
        )}
        {query.isPending && <SkeletonRows rows={3} label={t("common.loading")} />}
        {tasks?.length === 0 && (
          <Empty
            drawing="service"
            title={t("equipment-detail.tasks.empty")}
            description={t("equipment-detail.tasks.emptyText")}
            action={add}
          />
        )}
        {tasks && tasks.length > 0 && (
          <ul aria-label={t("equipment-detail.tasks.title")} className="divide-y divide-line">
            {tasks.map((task) => (
              <TaskItem
                key={task.id}
                equipment={equipment}
                task={task}
                isRecorded={done.has(task.name)}
                origin={setTexts.get(task.id)}
                onAction={(action) => setOpenDialog({ action, task })}
              />
            ))}
          </ul>
        )}
      </div>
      {(openDialog?.action === "add" || openDialog?.action === "edit") && (
        <TaskDialog equipment={equipment} task={openDialog.task} onClose={close} />
      )}
      {openDialog?.action === "done" && openDialog.task && (
        <TaskDoneDialog equipment={equipment} task={openDialog.task} onClose={close} />
      )}
      {openDialog?.action === "snooze" && openDialog.task && (
        <SnoozeDialog equipment={equipment} task={openDialog.task} onClose={close} />
      )}
      {openDialog?.action === "delete" && openDialog.task && (
        <DeleteTaskDialog equipment={equipment} task={openDialog.task} onClose={close} />
      )}
    </Card>
  );
}

const shownAtFirst = 20;

function Services({ equipment }: { equipment: Equipment }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const format = useFormat();
  const query = useQuery(servicesQuery(useTransport(), { equipmentId: equipment.id }));
  const [showAll, setShowAll] = useState(false);
  const records = query.data?.records;
  const count = visitsOf(records ?? [], "").length;
  const cents = records ? totalCents(records) : 0;
  return (
    <Card
      flush
      title={t("equipment-detail.services.title")}
      actions={
        cents > 0 ? (
          <p className="text-right">
            <span className="text-sm text-muted">{t("equipment-detail.services.total")} </span>
            <span className="text-lg font-semibold">{format.cost(cents)}</span>
          </p>
        ) : undefined
      }
    >
      <div className="border-t border-line">
        {query.error && (
          <div className="p-4">
            <ErrorPanel
              title={t("equipment-detail.history.failed")}
              reason={errorText(query.error)}
              onRetry={() => void query.refetch()}
              retrying={query.isFetching}
            />
          </div>
        )}
        {query.isPending && <SkeletonRows rows={3} label={t("common.loading")} />}
        {records?.length === 0 && (
          <Empty
            title={t("equipment-detail.services.empty")}
            description={t("equipment-detail.services.emptyText")}
          />
        )}
        {records && records.length > 0 && (
          <Records
            label={t("equipment-detail.services.title")}
            records={records}
            most={showAll ? undefined : shownAtFirst}
            equipment={equipment}
          />
        )}
        {!showAll && count > shownAtFirst && (
          <div className="border-t border-line p-3 text-center">
            <Button size="small" onClick={() => setShowAll(true)}>
              {t("equipment.overview.showAll", { count })}
            </Button>
          </div>
        )}
      </div>
    </Card>
  );
}

/** Without voided services. Summed in cents to avoid floating-point remainders. */
function totalCents(records: readonly HistoryRecord[]): number {
  return records.reduce(
    (sum, record) => sum + (record.voiding ? 0 : Math.round((record.cost ?? 0) * 100)),
    0,
  );
}
