import type { Equipment, ServiceTask } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";

/** Whether the end of a snooze is the projected date of a machine, not the task's use or calendar. */
export function isSnoozed({
  projectedDueDate: due,
  projectedDueTask: task,
  snoozedTasks,
}: Equipment): boolean {
  return snoozedTasks.some(({ id, snooze }) => id === task?.id && snooze?.untilDate === due);
}

/** The end of a task's snooze, unless its use or calendar reaches further; else empty. */
export function snoozedUntil({ projectedDueDate: due, snooze }: ServiceTask): string {
  const until = snooze?.untilDate ?? "";
  return due === "" || due === until ? until : "";
}
