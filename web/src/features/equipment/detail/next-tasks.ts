import type { Equipment, ServiceTask } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { nextDate } from "#/domain/calendar";
import { unitWord } from "#/domain/equipment-wire";

const most = 3;

/** A full working day. It only orders the tasks of a machine whose use is unknown. */
const dailyUse = { hours: 8, miles: 100, kilometers: 160, "n/a": 1 };

type Machine = Pick<Equipment, "unit" | "urgentTask" | "usualDailyUse">;

/** The tasks that are due next, by date or by usage. */
export function nextTasks(
  tasks: readonly ServiceTask[],
  equipment: Machine,
  today: string,
): ServiceTask[] {
  const due = tasks.filter(
    (task) => task.projectedDueDate !== "" || task.remainingUsage !== undefined,
  );
  return orderTasks(due, equipment, today).slice(0, most);
}

/** The one that the machine's header names; then by status, the most severe first; date; usage left. */
export function orderTasks(
  tasks: readonly ServiceTask[],
  { unit, urgentTask, usualDailyUse }: Machine,
  today: string,
): ServiceTask[] {
  const dateOf = ({ projectedDueDate, remainingUsage }: ServiceTask) => {
    const date = projectedDueDate || never;
    if (remainingUsage === undefined) return date;
    // The date of a task with a calendar says nothing of its usage while the use is unknown.
    if (projectedDueDate !== "" && usualDailyUse !== undefined) return date;
    const days = Math.ceil(remainingUsage / dailyUse[unitWord(unit)]);
    const assumed = nextDate(today, days, "days") ?? never;
    return assumed < date ? assumed : date;
  };
  const isNext = ({ id, fromForm }: ServiceTask) => (urgentTask ? id === urgentTask.id : fromForm);
  const left = ({ remainingUsage }: ServiceTask) => remainingUsage ?? Number.MAX_VALUE;
  return tasks.toSorted(
    (one, other) =>
      Number(isNext(other)) - Number(isNext(one)) ||
      other.status - one.status ||
      dateOf(one).localeCompare(dateOf(other)) ||
      left(one) - left(other),
  );
}

const never = "9999";
