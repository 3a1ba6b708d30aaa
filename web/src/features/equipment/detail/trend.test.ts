import { create } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import {
  HistoryKind,
  MeterSegmentSchema,
  MeterUnit,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { day, excavator, record } from "./detail.fixture";
import {
  inRange,
  pacePerDay,
  projectionOf,
  readingsOf,
  servicesOf,
  sinceUnit,
  startOf,
  startOfUnit,
} from "./trend";

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

it("begin with the reading that the machine was added with", () => {
  const first = record({ id: "first", usage: 130, createdAt: day("2026-11-10") });
  const meter = (startUsage: number) =>
    create(MeterSegmentSchema, { startedAt: day("2026-11-01"), startUsage });
  const usages = (startUsage: number) =>
    readingsOf([first], startOf(meter(startUsage), [first])).map(({ usage }) => usage);
  expect(usages(100)).toEqual([100, 130]);
  expect(usages(0)).toEqual([130]);
});

it("leave out the start if an edit corrected the reading; edits are not readings", () => {
  const first = record({ id: "first", usage: 130, createdAt: day("2026-11-10") });
  const edit = { id: "edit", kind: HistoryKind.EDIT, createdAt: day("2026-11-05") };
  const meter = create(MeterSegmentSchema, { startedAt: day("2026-11-01"), startUsage: 1000 });
  const usages = (usage?: number) => {
    const records = [first, record(usage === undefined ? edit : { ...edit, usage })];
    return readingsOf(records, startOf(meter, records)).map((reading) => reading.usage);
  };
  expect(usages(100)).toEqual([130]);
  expect(usages()).toEqual([1000, 130]);
});

it("leave out those before the last one in another unit", () => {
  const entry = (id: string, unit: MeterUnit, date: string) =>
    record({ id, unit, usage: 1, createdAt: day(date) });
  const records = [
    entry("new", MeterUnit.KILOMETERS, "2026-11-10"),
    entry("miles", MeterUnit.MILES, "2026-11-05"),
    entry("old", MeterUnit.KILOMETERS, "2026-11-01"),
  ];
  const ids = (unit: MeterUnit) => sinceUnit(records, unit).map(({ id }) => id);
  expect(ids(MeterUnit.KILOMETERS)).toEqual(["new"]);
  expect(sinceUnit(records.slice(0, 1), MeterUnit.KILOMETERS)).toHaveLength(1);
});

it("begin with the reading at the change of the unit", () => {
  const usages = (records: Parameters<typeof record>[0][]) => {
    const inUnit = records.map(record);
    const start = startOfUnit({ unitSince: day("2026-11-05") }, inUnit);
    return readingsOf(inUnit, start).map(({ id, usage }) => [id, usage]);
  };
  const edit = { id: "edit", kind: HistoryKind.EDIT, usage: 200, createdAt: day("2026-11-05") };
  const reading = { id: "a", usage: 230, usageBefore: 200, createdAt: day("2026-11-10") };
  const next = { id: "b", usage: 260, usageBefore: 230, createdAt: day("2026-11-12") };
  expect(usages([next, reading, edit])).toEqual([
    ["unit", 200],
    ["a", 230],
    ["b", 260],
  ]);
  expect(usages([edit])).toEqual([]);
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

it("has services at their day, without voided ones, and not as readings", () => {
  const service = { kind: HistoryKind.SERVICE, usage: 100, createdAt: day("2026-11-20") };
  const voiding = { reason: "x", by: "Ana", at: day("2026-11-20") };
  const records = [
    record({ ...service, id: "dated", performedOn: "2026-11-02" }),
    record({ ...service, id: "second task", performedOn: "2026-11-02" }),
    record({ ...service, id: "voided", voiding }),
  ];
  expect(servicesOf(records)).toMatchObject([{ at: Date.parse("2026-11-02T12:00:00Z") }]);
  expect(readingsOf(records)).toEqual([]);
});

it("include the meter that was typed for a service, once for all its tasks", () => {
  const service = { kind: HistoryKind.SERVICE, usage: 110, createdAt: day("2026-11-20") };
  const records = [
    record({ ...service, id: "one", reading: 110 }),
    record({ ...service, id: "two", reading: 110 }),
    record({ id: "first", usage: 100, createdAt: day("2026-11-10") }),
  ];
  expect(readingsOf(records).map(({ usage }) => usage)).toEqual([100, 110]);
});

it("keeps the entries of a period", () => {
  const entries = [at(0, 1), at(60, 2), at(99, 3)];
  expect(inRange(entries, "90d", 100 * dayMs).map(({ id }) => id)).toEqual(["60", "99"]);
  expect(inRange(entries, undefined, 100 * dayMs)).toHaveLength(3);
});

describe("the projection", () => {
  const due = {
    currentUsage: 4700,
    projectedDueDate: "2026-12-09",
    projectedDueEarliest: "2026-12-05",
    projectedDueLatest: "2026-12-20",
    projectedDueTask: { name: "", remainingUsage: 50 },
  };

  it("reaches the due point between the earliest and the latest day", () => {
    expect(projectionOf(excavator(due), "2026-11-25")).toEqual({
      at: Date.parse("2026-12-09T12:00:00Z"),
      usage: 4750,
      earliest: Date.parse("2026-12-05T12:00:00Z"),
      latest: Date.parse("2026-12-20T12:00:00Z"),
    });
  });

  it("is absent if the service is due, or its date or a snooze decides", () => {
    expect(projectionOf(excavator(due), "2026-12-09")).toBeNull();
    const byCalendar = { ...due.projectedDueTask, byCalendar: true };
    const dated = excavator({ ...due, projectedDueTask: byCalendar });
    expect(projectionOf(dated, "2026-11-25")).toBeNull();
    const snooze = { untilDate: "2026-12-09" };
    const task = { ...due.projectedDueTask, id: "t0" };
    const snoozed = excavator({
      ...due,
      projectedDueTask: task,
      snoozedTasks: [{ id: "t0", snooze }],
    });
    expect(projectionOf(snoozed, "2026-11-25")).toBeNull();
    // A snooze until a usage counts if it ends after the due point.
    const until = (untilUsage: number) =>
      excavator({
        ...due,
        projectedDueTask: task,
        snoozedTasks: [{ id: "t0", snooze: { untilUsage } }],
      });
    expect(projectionOf(until(4750.5), "2026-11-25")).toBeNull();
    expect(projectionOf(until(4750), "2026-11-25")).not.toBeNull();
  });
});
