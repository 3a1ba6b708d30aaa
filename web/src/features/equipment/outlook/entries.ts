import {
  CalendarUnit,
  type Equipment,
  type ServiceTask,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { serviceStatusWord } from "#/domain/equipment-wire";
import { isByDate, isProjected, nextDue } from "../detail/next-due";
import { isDue } from "../dialogs/is-due";
import { orderDate } from "../detail/next-tasks";
import { spanOf } from "./outlook";

/** A line of the Service page. */
export interface Entry {
  id: string;
  machine: Equipment;
  /** The machine; in the views of tasks, as if it had only one of its tasks. */
  row: Equipment;
  /** Absent for a whole machine. */
  task?: ServiceTask;
}

/** In the given order, after those that are due: the one furthest past its interval first. */
export function machineEntries(machines: readonly Equipment[]): Entry[] {
  const pastOf = (machine: Equipment) => Math.max(0, ...machine.tasks.map(pastInterval));
  return machines
    .map((machine) => ({ id: machine.id, machine, row: machine }))
    .toSorted((one, other) => pastOf(other.machine) - pastOf(one.machine));
}

/** The share of its interval that a due task has used, by the limit that is further past; otherwise 0. */
function pastInterval(task: ServiceTask): number {
  if (!isDue(task) || task.snooze) return 0;
  const { usagePercent = 0, daysUntilDue = 0, calendarInterval, calendarUnit } = task;
  const days = calendarInterval * (daysOf[calendarUnit] ?? 0);
  return Math.max(1, usagePercent / 100, days > 0 ? 1 - daysUntilDue / days : 0);
}

const daysOf: Partial<Record<CalendarUnit, number>> = {
  [CalendarUnit.DAYS]: 1,
  [CalendarUnit.MONTHS]: 30,
  [CalendarUnit.YEARS]: 365,
};

/** An entry for each task, the next due first; also for a machine without tasks. */
export function taskEntries(machines: readonly Equipment[]): Entry[] {
  const entries = machines.flatMap((machine) =>
    machine.tasks.length === 0
      ? machineEntries([machine])
      : machine.tasks.map((task) => ({
          id: `${machine.id} ${task.id}`,
          machine,
          row: withTask(machine, task),
          task,
        })),
  );
  const dateOf = ({ task }: Entry) => (task ? orderDate(task) : "9999");
  const pastOf = ({ task }: Entry) => (task ? pastInterval(task) : 0);
  return entries.toSorted(
    (one, other) => pastOf(other) - pastOf(one) || dateOf(one).localeCompare(dateOf(other)),
  );
}

/** A row for each task, which has its name also without a date. */
export function taskRows(machines: readonly Equipment[]): Equipment[] {
  return taskEntries(machines).map(({ row, task }) => {
    if (!task || row.projectedDueTask) return row;
    const { id, name } = task;
    const $typeName = "hourmeter.equipment.v1.ProjectedTask";
    return { ...row, projectedDueTask: { $typeName, id, name, byCalendar: false } };
  });
}

function withTask(machine: Equipment, task: ServiceTask): Equipment {
  const { urgentTask: _, projectedDueTask: first, ...rest } = machine;
  const { id, name, status, fromForm, projectedDueDate: date } = task;
  const left = task.remainingUsage === undefined ? {} : { remainingUsage: task.remainingUsage };
  // Only the forecast of the machine's first task has a range.
  const isFirst = first !== undefined && (fromForm ? first.name === "" : first.id === id);
  return {
    ...rest,
    serviceStatus: status,
    missedRounds: task.missedRounds,
    missedTask: name,
    overdueTasks: 0,
    snoozedTasks: machine.snoozedTasks.filter((snoozed) => snoozed.id === id),
    ...(fromForm
      ? {}
      : {
          urgentTask: {
            $typeName: "hourmeter.equipment.v1.UrgentTask",
            id,
            name,
            status,
            ...left,
            ...(task.nextDueUsage === undefined ? {} : { nextDueUsage: task.nextDueUsage }),
            ...(task.daysUntilDue === undefined ? {} : { daysUntilDue: task.daysUntilDue }),
          },
        }),
    projectedDueDate: date,
    projectedDueEarliest: isFirst ? machine.projectedDueEarliest : date,
    projectedDueLatest: isFirst ? machine.projectedDueLatest : date,
    ...(date !== "" && {
      projectedDueTask: {
        $typeName: "hourmeter.equipment.v1.ProjectedTask",
        id,
        name,
        byCalendar: task.projectedByCalendar,
        ...left,
      },
    }),
  };
}

/**
 * The date by which a row is filed: the projected one of the task that is due next; of a good machine
 * whose next task has none, a date of this month. Empty: none, or only the distant one of its calendar
 * while the use is unknown.
 */
export function filedDate(row: Equipment, today: string): string {
  const next = nextDue(row, today);
  const isUseUnknown = row.usualDailyUse === undefined && row.projectedDueTask?.byCalendar;
  const isDistant = isUseUnknown && next?.due && !isByDate(next, row);
  const date = row.projectedDueDate;
  if (isProjected(row) && !isDistant) return date;
  const status = serviceStatusWord(row.serviceStatus);
  return status === "good" && spanOf({ status, date }, today) !== "later" ? date : "";
}
