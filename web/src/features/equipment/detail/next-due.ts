import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { nextDate } from "#/domain/calendar";
import { serviceStatusWord } from "#/domain/equipment-wire";
import type { Metered } from "#/domain/dial";
import { pointReached, serviceDue, type ServiceDue } from "#/domain/service-due";
import type { ServiceStatus } from "#/domain/service-status";

/** The service that is due next. */
export interface NextDue {
  /** Null: the regular service of the form. */
  taskName: string | null;
  status: ServiceStatus;
  due: ServiceDue | null;
  /** Absent if only a summary of the task is known. */
  percent: number | null;
  schedule: { days: number; date: string } | null;
}

/** Null with neither interval nor schedule. `today` is in the company's time zone. */
export function nextDue(equipment: Equipment, today: string): NextDue | null {
  return equipment.urgentTask ? urgentDue(equipment, today) : regularDue(equipment);
}

function regularDue(equipment: Equipment): NextDue | null {
  const due = serviceDue(equipment);
  const days = equipment.daysUntilMaintenance;
  if (!due && days === undefined) return null;
  return {
    taskName: null,
    status: serviceStatusWord(equipment.serviceStatus),
    due,
    percent: due?.percent ?? null,
    schedule: days === undefined ? null : { days, date: equipment.nextMaintenanceDate },
  };
}

function urgentDue(equipment: Equipment, today: string): NextDue | null {
  const task = equipment.urgentTask;
  if (!task) return null;
  const days = task.daysUntilDue;
  const status = serviceStatusWord(task.status);
  return {
    taskName: task.name,
    status,
    due: task.nextDueUsage === undefined ? null : usageDue(equipment, task.nextDueUsage, status),
    percent: null,
    schedule: days === undefined ? null : { days, date: nextDate(today, days, "days") ?? today },
  };
}

/** A task summary has no interval, so its text compares the meter with the due point. */
function usageDue(equipment: Metered, dueAt: number, status: ServiceStatus): ServiceDue {
  const over = Math.round((equipment.currentUsage - dueAt) * 100) / 100;
  if (over < 0) return { kind: "until", amount: -over, status, percent: 0 };
  return over > 0 && status === "overdue"
    ? { kind: "overdueBy", amount: over, status, percent: 0 }
    : pointReached(equipment, dueAt, { status, percent: 0 });
}

/**
 * Whether the calendar decides; not while it is far and the usage needs attention, or its date is not
 * known.
 */
export function isByDate(
  { due, schedule }: NextDue,
  { projectedDueTask, usualDailyUse }: Equipment,
): boolean {
  if (!due || !schedule) return due === null;
  if (schedule.days <= 7 && due.status !== "overdue") return true;
  if (usualDailyUse === undefined || due.status !== "good") return false;
  return projectedDueTask?.byCalendar === true;
}

/** Whether the projected date is that of the task that is due next. */
export function isProjected({ urgentTask, projectedDueTask: task }: Equipment): boolean {
  if (!task) return false;
  return urgentTask ? task.id === urgentTask.id : task.name === "";
}
