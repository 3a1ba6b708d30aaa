import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { isProjected, nextDue } from "../detail/next-due";

/**
 * The projected date of the task that is due next. Without one, a task that is not good counts as
 * today's; empty for a good one.
 */
export function nextDate(row: Equipment, today: string): string {
  if (isProjected(row)) return row.projectedDueDate;
  const next = nextDue(row, today);
  return next === null || next.status === "good" ? "" : today;
}
