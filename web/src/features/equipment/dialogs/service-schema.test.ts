import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import {
  EquipmentSchema,
  HistoryRecordSchema,
  MeterReplacementSchema,
  MeterUnit,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { metersAround } from "./meter-on";
import { newService, serviceSchema, toService, type ServiceValues } from "./service-schema";

const today = "2026-11-21";
const done: ServiceValues = { ...newService(today), taskIds: ["t1"] };

describe("a service", () => {
  const refused = (more: Partial<ServiceValues>) =>
    !v.is(serviceSchema(today), { ...done, ...more });

  it.each([
    { performedAt: "2026-11-22" },
    { meter: "-1" },
    { meter: "1.234" },
    { cost: "-1" },
    { cost: "x" },
    { taskIds: [] },
  ])("%j is refused", (more) => expect(refused(more)).toBe(true));

  it.each([
    {},
    { performedAt: today },
    { meter: "0" },
    { cost: "125.50", notes: "x" },
    { cost: " $ 1,250.75" },
  ])("%j is taken", (more) => expect(refused(more)).toBe(false));

  it("sends a meter only if it was typed, and always what the form showed", () => {
    const seen = { meterReading: 512 };
    expect(toService(done, seen)).toEqual({
      performedAt: today,
      notes: "",
      expectedReading: 512,
    });
    expect(toService({ ...done, meter: "500,5" }, seen)).toMatchObject({ meter: 500.5 });
    expect(toService({ ...done, meter: "" }, seen)).not.toHaveProperty("meter");
    expect(toService({ ...done, cost: "$1,250.75" }, seen)).toMatchObject({ cost: 1250.75 });
  });
});

describe("the meter on a day", () => {
  // The second meter, with 100 hours of the first one.
  const machine = create(EquipmentSchema, {
    unit: MeterUnit.HOURS,
    currentUsage: 140,
    meterReading: 40,
  });
  const read = (date: string, usage: number, more: { unit?: MeterUnit; voiding?: object } = {}) =>
    create(HistoryRecordSchema, {
      capturedAt: timestampFromDate(new Date(date)),
      usage,
      unit: MeterUnit.HOURS,
      ...more,
    });
  const records = [
    read("2026-11-20T20:00:00Z", 140),
    read("2026-11-10T03:00:00Z", 120),
    read("2026-11-09T12:00:00Z", 119, { voiding: {} }),
    read("2026-11-08T12:00:00Z", 900, { unit: MeterUnit.MILES }),
    read("2026-11-01T12:00:00Z", 90),
  ];
  const on = (day: string, zone = "UTC") => metersAround(records, machine, { day, zone });

  const days = (day: string, zone?: string) => {
    const { earlier, before, after } = on(day, zone);
    return [earlier, before, after].map((each) => each && [each.day, each.dial]);
  };
  const tenth = ["2026-11-10", 20];

  it("is the last reading up to it, with the next one and the one before the day", () => {
    expect(days("2026-11-15")).toEqual([tenth, tenth, ["2026-11-20", 40]]);
    expect(days("2026-11-20")).toEqual([tenth, ["2026-11-20", 40], undefined]);
  });

  it("follows the company's day", () => {
    expect(on("2026-11-09").before).toBeUndefined();
    expect(on("2026-11-09", "America/Chicago").before).toMatchObject({
      day: "2026-11-09",
      dial: 20,
    });
  });

  it("ignores voided entries, other units and earlier meters", () => {
    expect(days("2026-11-09")).toEqual([undefined, undefined, tenth]);
  });

  it("is on the meter of its time", () => {
    // The old meter ended at 795, and the new one started at 12.
    const replaced = create(HistoryRecordSchema, {
      ...read("2026-11-05T12:00:00Z", 112),
      meterReplacement: create(MeterReplacementSchema, { finalReading: 795, startReading: 12 }),
    });
    const { before, after } = metersAround([...records, replaced], machine, {
      day: "2026-11-02",
      zone: "UTC",
    });
    expect(before).toMatchObject({ day: "2026-11-01", dial: 773, usage: 90 });
    expect(after).toMatchObject({ day: "2026-11-05", dial: 12, usage: 112 });
  });
});
