import { Link } from "@tanstack/react-router";
import { AlarmClock, AlarmClockOff, Check, Pencil, Trash2 } from "lucide-react";
import { useTranslation } from "react-i18next";
import {
  TaskBasis,
  type Equipment,
  type ServiceTask,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { serviceStatusWord, unitWord } from "#/domain/equipment-wire";
import { severityOf } from "#/shared/severity";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { useCompanyDay } from "#/shared/use-company-day";
import { useFormat } from "#/shared/format/use-format";
import { Badge } from "#/shared/ui/badge";
import { Button } from "#/shared/ui/button";
import { StatusBadge } from "#/shared/ui/status-badge";
import { useDialText } from "../meters/use-dial-text";
import { taskDue } from "./task-due";
import { useSnoozeText } from "../table/snooze-lines";
import { snoozeOfTask } from "./snoozed";
import { useIntervalText } from "./use-interval-text";
import { useLastDoneText } from "./use-last-done-text";
import { useTaskWhen } from "./use-task-when";
import { useWake } from "./use-wake";
import { ServiceBar } from "./wide-bar";

export type TaskAction = "done" | "edit" | "delete" | "snooze";

export function TaskItem({
  equipment,
  task,
  isRecorded,
  origin,
  onAction,
}: {
  equipment: Equipment;
  task: ServiceTask;
  /** The service history has it. */
  isRecorded: boolean;
  /** The task set that it comes from or differs from. */
  origin: string | undefined;
  onAction: (action: TaskAction) => void;
}) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const interval = useIntervalText();
  const status = serviceStatusWord(task.status);
  const name = task.fromForm ? t("equipment-detail.tasks.regular") : task.name;
  const every = interval({ ...task, unit: equipment.unit });
  const snoozeText = useSnoozeText();
  return (
    <li className="grid gap-x-6 gap-y-3 px-4 py-4 md:grid-cols-[minmax(0,1.1fr)_minmax(0,1.2fr)_18rem] md:px-5">
      <div className="min-w-0">
        <p className="font-semibold wrap-anywhere">{name}</p>
        <p className="text-sm text-muted first-letter:uppercase">
          {every === "" ? t("equipment-detail.tasks.noInterval") : every}
        </p>
        {origin && <p className="text-sm text-muted">{origin}</p>}
        {every !== "" && (
          <div className="mt-2">
            {task.snooze ? (
              <>
                <Badge>{t("equipment-detail.snooze.badge")}</Badge>
                <p className="mt-1 text-sm text-muted wrap-anywhere">
                  {snoozeText(equipment, task.snooze)} · {task.snooze.by}
                </p>
              </>
            ) : (
              <span className="inline-flex flex-wrap items-center gap-1.5">
                <StatusBadge severity={severityOf(status)}>{labels.badge(status)}</StatusBadge>
                {task.missedRounds > 0 && (
                  <span className="text-sm text-danger">
                    {t("equipment-detail.snooze.missed", {
                      count: task.missedRounds,
                    })}
                  </span>
                )}
              </span>
            )}
          </div>
        )}
      </div>
      <TaskFigures equipment={equipment} task={task} isRecorded={isRecorded} />
      <TaskActions
        equipment={equipment}
        task={task}
        name={name}
        hasPlan={every !== ""}
        onAction={onAction}
      />
    </li>
  );
}

function TaskFigures({
  equipment,
  task,
  isRecorded,
}: Pick<Parameters<typeof TaskItem>[0], "equipment" | "task" | "isRecorded">) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const format = useFormat();
  const unit = unitWord(equipment.unit);
  const dial = useDialText();
  const today = useCompanyDay();
  const { date } = useTaskWhen(equipment, today)(task);
  const lastDone = useLastDoneText();
  const due = taskDue(task, equipment);
  const last = lastDone(equipment, task);
  const next = [
    task.nextDueUsage === undefined ? "" : dial.due(equipment, task.nextDueUsage),
    task.nextDueDate === "" ? "" : format.calendarDate(task.nextDueDate),
  ].filter((part) => part !== "");
  return (
    <div className="min-w-0 space-y-1.5 text-sm">
      {due && (
        <>
          <p className="font-semibold first-letter:uppercase">{labels.due(due, unit)}</p>
          <ServiceBar percent={due.percent} severity={severityOf(due.status)} />
        </>
      )}
      {task.daysUntilDue !== undefined && (
        <p className={due ? "first-letter:uppercase" : "font-semibold first-letter:uppercase"}>
          {labels.schedule(task.daysUntilDue, task.nextDueDate)}
        </p>
      )}
      {/* The schedule or the snooze already has the date that it decides. */}
      {task.projectedDueDate > today &&
        !task.projectedByCalendar &&
        !snoozeOfTask(task, equipment.currentUsage) && <p>{date}</p>}
      {last !== "" && (
        <p className="text-muted">
          {isRecorded || task.basis === TaskBasis.ON_THE_MARK
            ? t("equipment-detail.tasks.last", { value: last })
            : t("equipment-detail.tasks.countsFrom", { value: last })}
        </p>
      )}
      {next.length > 0 && (
        <p className="text-muted">
          {t("equipment-detail.tasks.next", { value: next.join(" · ") })}
        </p>
      )}
    </div>
  );
}

/** The regular service can't be deleted; without a plan it is only edited in the form. */
function TaskActions({
  equipment,
  task,
  name,
  hasPlan,
  onAction,
}: {
  equipment: Equipment;
  task: ServiceTask;
  name: string;
  hasPlan: boolean;
  onAction: (action: TaskAction) => void;
}) {
  const { t } = useTranslation();
  return (
    <div className="no-print flex flex-wrap items-start gap-2">
      {hasPlan && (
        <Button
          size="small"
          aria-label={t("equipment-detail.tasks.doneFor", { name })}
          onClick={() => onAction("done")}
        >
          <Check aria-hidden className="size-4" />
          {t("equipment-detail.done.submit")}
        </Button>
      )}
      {hasPlan && <SnoozeButton {...{ equipment, task, name, onAction }} />}
      {task.fromForm && !hasPlan ? (
        <Button asChild variant="quiet" size="small" icon>
          <Link
            to="/add-equipment"
            search={{ edit: equipment.id, from: "item" }}
            aria-label={t("equipment-detail.tasks.inForm")}
          >
            <Pencil aria-hidden className="size-4" />
          </Link>
        </Button>
      ) : (
        <Button
          variant="quiet"
          size="small"
          icon
          aria-label={t("equipment-detail.tasks.editFor", { name })}
          onClick={() => onAction("edit")}
        >
          <Pencil aria-hidden className="size-4" />
        </Button>
      )}
      {!task.fromForm && (
        <Button
          variant="quiet"
          size="small"
          icon
          aria-label={t("equipment-detail.tasks.deleteFor", { name })}
          onClick={() => onAction("delete")}
        >
          <Trash2 aria-hidden className="size-4" />
        </Button>
      )}
    </div>
  );
}

function SnoozeButton({
  equipment,
  task,
  name,
  onAction,
}: {
  equipment: Equipment;
  task: ServiceTask;
  name: string;
  onAction: (action: TaskAction) => void;
}) {
  const { t } = useTranslation();
  const wake = useWake(equipment, task);
  return task.snooze ? (
    <Button
      variant="quiet"
      size="small"
      pending={wake.pending}
      pendingLabel={t("equipment-detail.tasks.saving")}
      aria-label={t("equipment-detail.snooze.wakeFor", { name })}
      onClick={wake.run}
    >
      <AlarmClockOff aria-hidden className="size-4" />
      {t("equipment-detail.snooze.wake")}
    </Button>
  ) : (
    <Button
      variant="quiet"
      size="small"
      aria-label={t("equipment-detail.snooze.for", { name })}
      onClick={() => onAction("snooze")}
    >
      <AlarmClock aria-hidden className="size-4" />
      {t("equipment-detail.snooze.submit")}
    </Button>
  );
}
