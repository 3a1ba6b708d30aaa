import type { Equipment, ServiceTask } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { daysBetween, nextDate } from "#/domain/calendar";

const most = 3;

export interface NextTask {
  task: ServiceTask;
  /** Today for a task that is due already. */
  date: string;
  /** Whether the date follows from the usual use. */
  isForecast: boolean;
}

/**
 * The tasks that are due next, in order. A task by usage has a date only with a usual use; the
 * earlier of its two limits decides.
 */
export function nextTasks(
  tasks: readonly ServiceTask[],
  { usualDailyUse }: Pick<Equipment, "usualDailyUse">,
  today: string,
): NextTask[] {
  return tasks
    .flatMap((task): NextTask[] => {
      const days = [
        { days: byUsage(task, usualDailyUse), isForecast: true },
        { days: task.nextDueDate && daysBetween(today, task.nextDueDate), isForecast: false },
      ].flatMap(({ days, isForecast }) => (typeof days === "number" ? [{ days, isForecast }] : []));
      const [first] = days.toSorted((one, other) => one.days - other.days);
      if (!first) return [];
      const date = nextDate(today, Math.max(first.days, 0), "days");
      return date === null ? [] : [{ task, date, isForecast: first.isForecast && first.days > 0 }];
    })
    .toSorted((one, other) => one.date.localeCompare(other.date))
    .slice(0, most);
}

function byUsage(
  { remainingUsage: remaining, nextDueUsage }: ServiceTask,
  usual: number | undefined,
): number | undefined {
  if (nextDueUsage === undefined || remaining === undefined) return undefined;
  if (remaining <= 0) return 0;
  return usual ? Math.ceil(remaining / usual) : undefined;
}
