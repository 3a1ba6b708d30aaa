import type { Severity } from "#/shared/ui/status-badge";
import type { OverallStatus } from "#/domain/service-status";
import type { ShownStatus } from "#/domain/shown-status";

/** Nothing about a machine without a recent reading is shown as good. */
export function severityIn(
  { stale }: { stale: boolean },
  status: ShownStatus | OverallStatus,
): Severity {
  const severity = severityOf(status);
  return stale && severity === "good" ? "none" : severity;
}

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
