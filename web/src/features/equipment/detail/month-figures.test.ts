import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { expect, it } from "vitest";
import {
  HistoryKind,
  MonthFuelUseSchema,
  VoidingSchema,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { record } from "./detail.fixture";
import { lastMonths, monthFigures } from "./month-figures";

it("names the months up to today's, over the turn of a year", () => {
  expect(lastMonths("2026-02-28", 3)).toEqual(["2025-12", "2026-01", "2026-02"]);
});

it("sums the cost of services by the month in which they were done", () => {
  const service = (performedOn: string, cost: number, more = {}) =>
    record({ kind: HistoryKind.SERVICE, performedOn, cost, ...more });
  const figures = monthFigures(
    ["2026-10", "2026-11"],
    [
      service("2026-10-31", 0.1),
      service("2026-10-01", 0.2),
      service("2026-10-02", 99, { voiding: create(VoidingSchema, { by: "Ana" }) }),
      service("2026-09-30", 50),
      // Without a day, its time in the company's zone decides: still October in Chicago.
      service("", 7, { capturedAt: timestampFromDate(new Date("2026-11-01T03:00:00Z")) }),
      record({ kind: HistoryKind.SERVICE, performedOn: "2026-11-02" }),
    ],
    [create(MonthFuelUseSchema, { month: "2026-11", diesel: 12.5 })],
    "America/Chicago",
  );
  expect(figures).toEqual([
    { month: "2026-10", cents: 730, gas: 0, diesel: 0 },
    { month: "2026-11", cents: 0, gas: 0, diesel: 12.5 },
  ]);
});
