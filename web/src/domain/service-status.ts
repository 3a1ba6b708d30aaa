// Computes the status of equipment on a day. The equipment service is the source of truth; this
// serves the form's preview. Both are tested against proto/testdata/service-status.json.

import { daysBetween } from "./calendar";

const serviceStatuses = ["good", "approaching_service", "time_for_service", "overdue"] as const;
export type ServiceStatus = (typeof serviceStatuses)[number];
export type OverallStatus = "normal" | "approaching" | "overdue";
export type ServiceBadge =
  | ServiceStatus
  | "maintenance_scheduled"
  | "maintenance_due_soon"
  | "maintenance_overdue";

export interface ServiceFacts {
  currentUsage: number;
  lastServiceUsage: number | null;
  /** 0: none. */
  serviceInterval: number;
  /** Lifespan; null: none. */
  threshold: number | null;
  /** The percentage of the lifespan left at the alert threshold. */
  alertThreshold: number;
  hasScheduledMaintenance: boolean;
  nextMaintenanceDate: string | null;
  /** The day in the company's time zone. */
  today: string;
}

export interface ServiceFigures {
  serviceStatus: ServiceStatus;
  overallStatus: OverallStatus;
  badge: ServiceBadge;
  usagePercent: number | null;
  daysUntilMaintenance: number | null;
  critical: boolean;
  severelyCritical: boolean;
  lifespanPercent: number | null;
  lifespanAlert: boolean;
  nextServiceDueUsage: number | null;
  remainingUsage: number | null;
}

export function serviceFigures(facts: ServiceFacts): ServiceFigures {
  const usage = usageRule(facts);
  const days =
    facts.hasScheduledMaintenance && facts.nextMaintenanceDate
      ? daysBetween(facts.today, facts.nextMaintenanceDate)
      : null;
  const statuses = [statusOfUsage(usage), statusOfSchedule(days)];
  const dueAt =
    usage && facts.lastServiceUsage !== null
      ? hundredths(facts.lastServiceUsage) + usage.interval
      : null;
  return {
    serviceStatus: mostSevere(statuses),
    overallStatus: overallOf(mostSevere(statuses)),
    badge: badgeOfUsage(usage) ?? badgeOfSchedule(days) ?? "good",
    usagePercent: usage && floorPercent(usage.used, usage.interval),
    daysUntilMaintenance: days,
    critical: reaches(usage, 95) || (days !== null && days <= 7),
    severelyCritical: reaches(usage, 125) || (days !== null && days <= -7),
    ...lifespan(facts),
    nextServiceDueUsage: dueAt === null ? null : dueAt / 100,
    remainingUsage:
      dueAt === null ? null : Math.max(0, dueAt - hundredths(facts.currentUsage)) / 100,
  };
}

export function mostSevere(statuses: readonly ServiceStatus[]): ServiceStatus {
  return serviceStatuses.findLast((status) => statuses.includes(status)) ?? "good";
}

interface Usage {
  used: number;
  interval: number;
}

/** Calculated in hundredths, so that floating-point errors don't cross a boundary. */
function usageRule(facts: ServiceFacts): Usage | null {
  if (facts.serviceInterval <= 0) return null;
  return {
    used: hundredths(facts.currentUsage) - hundredths(facts.lastServiceUsage ?? 0),
    interval: hundredths(facts.serviceInterval),
  };
}

function reaches(usage: Usage | null, percent: number): boolean {
  return usage !== null && usage.used * 100 >= percent * usage.interval;
}

function statusOfUsage(usage: Usage | null): ServiceStatus {
  if (reaches(usage, 110)) return "overdue";
  if (reaches(usage, 100)) return "time_for_service";
  return reaches(usage, 80) ? "approaching_service" : "good";
}

function statusOfSchedule(days: number | null): ServiceStatus {
  if (days === null || days > 7) return "good";
  if (days < 0) return "overdue";
  return days <= 1 ? "time_for_service" : "approaching_service";
}

function overallOf(status: ServiceStatus): OverallStatus {
  switch (status) {
    case "good":
      return "normal";
    case "approaching_service":
    case "time_for_service":
      return "approaching";
    case "overdue":
      return "overdue";
  }
}

function badgeOfUsage(usage: Usage | null): ServiceBadge | null {
  if (reaches(usage, 125)) return "overdue";
  if (reaches(usage, 95)) return "time_for_service";
  return reaches(usage, 75) ? "approaching_service" : null;
}

function badgeOfSchedule(days: number | null): ServiceBadge | null {
  if (days === null || days > 7) return null;
  if (days < 0) return "maintenance_overdue";
  return days <= 3 ? "maintenance_due_soon" : "maintenance_scheduled";
}

function lifespan(facts: ServiceFacts): Pick<ServiceFigures, "lifespanPercent" | "lifespanAlert"> {
  if (facts.threshold === null) return { lifespanPercent: null, lifespanAlert: false };
  const used = hundredths(facts.currentUsage);
  const whole = hundredths(facts.threshold);
  return {
    lifespanPercent: floorPercent(used, whole),
    lifespanAlert: used * 100 >= whole * (100 - facts.alertThreshold),
  };
}

function hundredths(quantity: number): number {
  return Math.round(quantity * 100);
}

/** Rounded down to two decimals, so that it never shows a boundary that was not reached. */
function floorPercent(part: number, whole: number): number {
  const scaled = part * 10_000;
  const rest = ((scaled % whole) + whole) % whole;
  return (scaled - rest) / whole / 100;
}
