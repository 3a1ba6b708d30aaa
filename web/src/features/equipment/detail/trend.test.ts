import { describe, expect, it } from "vitest";
import { HistoryKind } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { day, record } from "./detail.fixture";
import { pacePerDay, readingsOf } from "./trend";

const dayMs = 86_400_000;
const at = (days: number, usage: number) => ({ id: String(days), at: days * dayMs, usage });

describe("readings", () => {
  it("are ordered by capture time; voided and fuel-only entries are excluded", () => {
    const voiding = { reason: "x", by: "Ana", at: day("2026-11-20") };
    const found = readingsOf([
      record({
        id: "late",
        usage: 120,
        createdAt: day("2026-11-20"),
        capturedAt: day("2026-11-01"),
      }),
      record({ id: "new", usage: 130, createdAt: day("2026-11-10") }),
      record({ id: "voided", usage: 9999, createdAt: day("2026-11-11"), voiding }),
      record({ id: "fuel", fuelAdded: 12, createdAt: day("2026-11-12") }),
    ]);
    expect(found.map((reading) => [reading.id, reading.usage])).toEqual([
      ["late", 120],
      ["new", 130],
    ]);
  });
});

it("marks where a meter was replaced", () => {
  const found = readingsOf([
    record({ id: "new", kind: HistoryKind.METER, usage: 130, createdAt: day("2026-11-11") }),
    record({ id: "old", usage: 130, createdAt: day("2026-11-10") }),
  ]);
  expect(found.map((reading) => [reading.id, reading.newMeter])).toEqual([
    ["old", undefined],
    ["new", true],
  ]);
});

describe("pace", () => {
  it.each([
    ["nothing known", [], null],
    ["one reading", [at(0, 10)], null],
    ["less than a week", [at(0, 10), at(6.9, 80)], null],
    ["a week", [at(0, 10), at(7, 80)], 10],
    ["a meter that does not move", [at(0, 10), at(30, 10)], null],
    ["a corrected meter", [at(0, 900), at(5, 950), at(6, 0), at(10, 50)], 10],
  ])("%s", (_, readings, pace) => expect(pacePerDay(readings)).toBe(pace));
});
