import type { TFunction } from "i18next";
import type {
  Equipment,
  ServiceTask,
  TaskSnooze,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";

interface Projected {
  date: string;
  byCalendar: boolean;
  remainingUsage: number | undefined;
}

/** The snooze of the task of a machine's projected date, if its end is that date. */
export function snoozeOf(equipment: Equipment): TaskSnooze | undefined {
  const { projectedDueDate: date, projectedDueTask: task, snoozedTasks, currentUsage } = equipment;
  const snooze = task && snoozedTasks.find(({ id }) => id === task.id)?.snooze;
  const { byCalendar = false, remainingUsage } = task ?? {};
  return snooze && decides(snooze, currentUsage, { date, byCalendar, remainingUsage })
    ? snooze
    : undefined;
}

/** The snooze of a task, unless the task's use or calendar reaches further. */
export function snoozeOfTask(
  { snooze, projectedDueDate: date, projectedByCalendar: byCalendar, remainingUsage }: ServiceTask,
  currentUsage: number,
): TaskSnooze | undefined {
  if (!snooze || (date === "" && snooze.untilUsage !== undefined)) return undefined;
  const projected = { date: date || snooze.untilDate, byCalendar, remainingUsage };
  return decides(snooze, currentUsage, projected) ? snooze : undefined;
}

/** Whether the end of a snooze is the projected date, not the task's use or calendar. */
function decides(
  { untilDate, untilUsage }: TaskSnooze,
  currentUsage: number,
  { date, byCalendar, remainingUsage = 0 }: Projected,
): boolean {
  if (untilUsage === undefined) return untilDate === date;
  return !byCalendar && untilUsage - currentUsage > remainingUsage;
}

/** "Snoozed until Dec 9"; of a snooze until a usage, "Snoozed until about Dec 9". */
export function snoozedText(t: TFunction, { untilUsage }: TaskSnooze, date: string): string {
  return untilUsage === undefined
    ? t("equipment-detail.snooze.untilDate", { date })
    : t("equipment-detail.snooze.untilAbout", { date });
}
