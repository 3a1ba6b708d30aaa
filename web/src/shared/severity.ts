import { ServiceStatus, type Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { Severity } from "#/shared/ui/status-badge";
import type { OverallStatus } from "#/domain/service-status";
import type { ShownStatus } from "#/domain/shown-status";

/**
 * Nothing about a machine without a recent reading is shown as good, and no task of a machine as more
 * severe than the machine: it is snoozed.
 */
export function severityIn(
  { stale, serviceStatus }: Pick<Equipment, "stale" | "serviceStatus">,
  status: ShownStatus | OverallStatus,
): Severity {
  const severity = severityOf(status);
  const isHidden = severity === "good" ? stale : serviceStatus === ServiceStatus.GOOD;
  return isHidden ? "none" : severity;
}

export function severityOf(status: ShownStatus | OverallStatus): Severity {
  switch (status) {
    case "no_plan":
    case "snoozed":
      return "none";
    case "good":
    case "normal":
      return "good";
    case "approaching_service":
    case "approaching":
    case "maintenance_scheduled":
      return "soon";
    case "time_for_service":
    case "maintenance_due_soon":
      return "due";
    case "overdue":
    case "maintenance_overdue":
      return "over";
  }
}
