import { describe, expect, it } from "vitest";
import { shownStatus, type StatusFigures } from "./shown-status";

const figures = (more: Partial<StatusFigures>): StatusFigures => ({
  serviceStatus: "good",
  badge: "good",
  usagePercent: null,
  daysUntilMaintenance: null,
  hasPlan: true,
  ...more,
});

describe("the shown status", () => {
  it.each([
    [{ serviceStatus: "good", badge: "approaching_service" }, "good"],
    [{ serviceStatus: "overdue", badge: "maintenance_due_soon" }, "overdue"],
    [{ hasPlan: false }, "no_plan"],
  ] as const)("without earlier warnings is the service status: %o", (more, status) => {
    expect(shownStatus(figures(more), false)).toEqual({ status, early: null });
  });

  it("is never milder than the service status", () => {
    const late = figures({
      serviceStatus: "overdue",
      badge: "time_for_service",
      usagePercent: 112,
    });
    expect(shownStatus(late, true)).toEqual({ status: "overdue", early: null });
  });

  it("names no plan also with earlier warnings", () => {
    expect(shownStatus(figures({ hasPlan: false }), true).status).toBe("no_plan");
  });

  it.each([
    ["good", "approaching_service", 75.5, { kind: "usage", percent: 75, from: 75 }],
    ["approaching_service", "time_for_service", 96.99, { kind: "usage", percent: 96, from: 95 }],
  ] as const)("of %s is %s early by usage", (serviceStatus, badge, usagePercent, early) => {
    const row = figures({ serviceStatus, badge, usagePercent });
    expect(shownStatus(row, true)).toEqual({ status: badge, early });
  });

  it("gives the days of an early schedule", () => {
    const row = figures({
      serviceStatus: "approaching_service",
      badge: "maintenance_due_soon",
      daysUntilMaintenance: 2,
    });
    expect(shownStatus(row, true)).toEqual({
      status: "maintenance_due_soon",
      early: { kind: "schedule", days: 2, within: 3 },
    });
  });

  it("has no reason for a badge of the same severity", () => {
    const row = figures({
      serviceStatus: "approaching_service",
      badge: "maintenance_scheduled",
      daysUntilMaintenance: 7,
    });
    expect(shownStatus(row, true)).toEqual({ status: "maintenance_scheduled", early: null });
  });
});
