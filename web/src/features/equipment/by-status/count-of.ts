import type { GetSummaryResponse } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { StatusPath } from "./status-title";

export function countOf(summary: GetSummaryResponse, status: StatusPath): number {
  switch (status) {
    case "all":
      return summary.total;
    case "good":
      return summary.good;
    case "approaching":
      return summary.approachingService;
    case "due":
      return summary.timeForService;
    case "overdue":
      return summary.overdue;
  }
}
