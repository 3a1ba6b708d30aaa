import { describe, expect, it } from "vitest";
import { daysOf, grouped, monthAway, spanOf, weekdayOf } from "./outlook";

describe("the span of a projected date", () => {
  // Thursday.
  const today = "2026-11-26";
  it.each([
    ["2026-11-26", "thisWeek"],
    ["2026-11-28", "thisWeek"],
    ["2026-11-29", "nextWeek"],
    ["2026-12-05", "nextWeek"],
    ["2026-12-06", "later"],
    ["", "none"],
  ])("of %s is %s", (date, span) => {
    expect(spanOf({ status: "good", date }, today)).toBe(span);
  });

  it("is this month after the next week, and the week ends on Saturday", () => {
    expect(spanOf({ status: "good", date: "2026-11-16" }, "2026-11-01")).toBe("thisMonth");
    expect(spanOf({ status: "good", date: "2026-11-30" }, "2026-11-01")).toBe("thisMonth");
    expect(spanOf({ status: "good", date: "2026-11-08" }, "2026-11-01")).toBe("nextWeek");
    expect(spanOf({ status: "good", date: "2026-11-07" }, "2026-11-01")).toBe("thisWeek");
  });

  it.each([
    ["overdue", "overdue"],
    ["time_for_service", "dueNow"],
  ] as const)("of what is %s is %s, whatever the date", (status, span) => {
    for (const date of ["", today, "2026-11-27", "2027-01-01"]) {
      expect(spanOf({ status, date }, today)).toBe(span);
    }
  });

  it("follows the date while the service is only approaching", () => {
    expect(spanOf({ status: "approaching_service", date: today }, today)).toBe("thisWeek");
    expect(spanOf({ status: "approaching_service", date: "" }, today)).toBe("soon");
  });
});

describe("the calendar", () => {
  it("has the days of a month, in weeks from Sunday", () => {
    const days = daysOf("2028-02");
    expect([days[0], days.at(-1), days.length]).toEqual(["2028-02-01", "2028-02-29", 29]);
    expect([weekdayOf("2028-02-01"), weekdayOf("2026-11-30"), weekdayOf("2026-11-29")]).toEqual([
      2, 1, 0,
    ]);
  });

  it("goes from month to month", () => {
    expect(monthAway("2026-12", 1)).toBe("2027-01");
    expect(monthAway("2026-01", -1)).toBe("2025-12");
  });
});

it("groups keep the order of their first rows", () => {
  const groups = grouped(["b1", "a1", "b2"], (row) => row.slice(0, 1));
  expect(groups).toEqual([
    ["b", ["b1", "b2"]],
    ["a", ["a1"]],
  ]);
});
