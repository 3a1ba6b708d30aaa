import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { MeterChange } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { blankReplacement, endOf, replaceSchema, toReplaceRequest } from "./replace-schema";

// Local times in the format of the date-time input.
const now = new Date("2026-11-20T16:10:30");
const meterReadAt = timestampFromDate(new Date("2026-11-18T08:15:40"));
const seen = { meterReading: 4812.5, meterReadAt };
const blank = blankReplacement("replaced", seen);

function messages(typed: Partial<typeof blank>) {
  const result = v.safeParse(replaceSchema(seen, now), { ...blank, ...typed });
  const issues = result.issues ?? [];
  return Object.fromEntries(
    issues.map((issue) => [
      String(issue.path?.[0]?.key),
      issue.message.replace("equipment-meters.replace.", ""),
    ]),
  );
}

describe("the values of a replaced meter", () => {
  it("accepts the defaults", () => {
    expect(messages({})).toEqual({});
    expect(messages(blankReplacement("rolledOver", seen))).toEqual({});
  });

  it.each([
    [{ final: "4,812.49" }, { final: "finalLow" }],
    [{ final: "4,812.50" }, {}],
    [{ final: "" }, { final: "invalid" }],
    [{ final: "far" }, { final: "invalid" }],
    [{ final: "1000000001" }, { final: "invalid" }],
    [{ final: "4900.125" }, { final: "equipment-form.fields.twoDecimals" }],
    [{ start: "-1" }, { start: "invalid" }],
    [{ start: "" }, {}],
    [{ start: "5", reading: "4.99" }, { reading: "readingLow" }],
    [{ start: "5", reading: "5" }, {}],
    [{ start: "5", reading: "" }, {}],
    [{ way: "rolledOver", final: "10000", start: "5", reading: "1" } as const, {}],
    [{ at: "2026-11-20T16:10" }, {}],
    [{ at: "2026-11-20T16:11" }, { at: "future" }],
    [{ at: "2026-11-18T08:15" }, {}],
    [{ at: "2026-11-18T08:14" }, { at: "early" }],
    [{ notes: "x".repeat(5001) }, { notes: "notesLong" }],
  ])("%o", (typed, expected) => expect(messages(typed)).toEqual(expected));
});

describe("the preview", () => {
  it("is null while a figure is invalid", () => {
    expect(endOf({ ...blank, final: "4000" }, seen)).toBeNull();
    expect(endOf({ ...blank, start: "5", reading: "3" }, seen)).toBeNull();
    expect(endOf({ ...blank, final: "" }, seen)).toBeNull();
  });

  it("fills blank fields from their neighbors", () => {
    expect(endOf({ ...blank, start: "3" }, seen)).toEqual({ final: 4812.5, start: 3, reading: 3 });
    expect(endOf({ ...blank, start: "" }, seen)).toEqual({ final: 4812.5, start: 0, reading: 0 });
  });

  it("starts at 0 after a rollover, whatever was typed before", () => {
    const again = { ...blankReplacement("rolledOver", seen), start: "7", reading: "4.2" };
    expect(endOf(again, seen)).toEqual({ final: 10_000, start: 0, reading: 4.2 });
  });
});

describe("the request", () => {
  it("sends the expected reading, so that outdated figures change nothing", () => {
    expect(
      toReplaceRequest("e1", { ...blank, reading: "2.5", notes: " new glass " }, seen),
    ).toEqual({
      id: "e1",
      replacement: { change: MeterChange.REPLACED, finalReading: 4812.5, startReading: 0 },
      reading: 2.5,
      notes: "new glass",
      expectedReading: 4812.5,
    });
  });

  it("sends a time; within the minute of the last reading, that reading's own", () => {
    const at = (text: string) => toReplaceRequest("e1", { ...blank, at: text }, seen).replacedAt;
    expect(at("2026-11-19T10:00")).toEqual(timestampFromDate(new Date("2026-11-19T10:00")));
    expect(at("2026-11-18T08:15")).toBe(meterReadAt);
  });
});
