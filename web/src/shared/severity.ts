import type { Severity } from "#/shared/ui/status-badge";
import type { OverallStatus, ServiceBadge } from "#/domain/service-rules";

export function severityOf(status: ServiceBadge | OverallStatus): Severity {
  switch (status) {
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
