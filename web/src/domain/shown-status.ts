import type { ServiceBadge, ServiceStatus } from "./service-status";

/** What screens show of a machine's service. */
export type ShownStatus = ServiceBadge | "no_plan" | "snoozed";

export interface StatusFigures {
  serviceStatus: ServiceStatus;
  badge: ServiceBadge;
  usagePercent: number | null;
  daysUntilMaintenance: number | null;
  /** Whether any service task exists. */
  hasPlan: boolean;
}

/** Why a badge is more severe than the service status. */
type EarlyReason =
  | { kind: "usage"; percent: number; from: number }
  | { kind: "schedule"; days: number; within: number };

export interface Shown {
  status: ShownStatus;
  early: EarlyReason | null;
}

/** The service status; with earlier warnings the badge where that is more severe, with its reason. */
export function shownStatus(figures: StatusFigures, earlierWarnings: boolean): Shown {
  const { serviceStatus, badge, hasPlan } = figures;
  if (!hasPlan) return { status: "no_plan", early: null };
  const ahead = ranks[badge] - ranks[serviceStatus];
  if (!earlierWarnings || ahead < 0) return { status: serviceStatus, early: null };
  return { status: badge, early: ahead > 0 ? reasonOf(figures) : null };
}

const ranks: Record<ServiceBadge, number> = {
  good: 0,
  approaching_service: 1,
  maintenance_scheduled: 1,
  time_for_service: 2,
  maintenance_due_soon: 2,
  overdue: 3,
  maintenance_overdue: 3,
};

function reasonOf({
  badge,
  usagePercent,
  daysUntilMaintenance,
}: StatusFigures): EarlyReason | null {
  const usage = (from: number): EarlyReason | null =>
    usagePercent === null ? null : { kind: "usage", percent: Math.floor(usagePercent), from };
  const schedule = (within: number): EarlyReason | null =>
    daysUntilMaintenance === null ? null : { kind: "schedule", days: daysUntilMaintenance, within };
  switch (badge) {
    case "approaching_service":
      return usage(75);
    case "time_for_service":
      return usage(95);
    case "maintenance_scheduled":
      return schedule(7);
    case "maintenance_due_soon":
      return schedule(3);
    // These are never earlier than the service status.
    case "good":
    case "overdue":
    case "maintenance_overdue":
      return null;
  }
}
