import type { Severity } from "#/shared/ui/status-badge";
import type { OverallStatus } from "#/domain/service-status";
import type { ShownStatus } from "#/domain/shown-status";

export function severityOf(status: ShownStatus | OverallStatus): Severity {
  switch (status) {
    case "no_plan":
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
