import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { dayIn, nextDate, readDate, type CalendarUnit } from "./calendar";

interface Vectors {
  nextDate: Array<{ start: string; interval: number; unit: CalendarUnit; expected: string | null }>;
  readDate: Array<{ input: string; expected: string | null }>;
  today: Array<{ instant: string; timeZone: string; expected: string }>;
}

const vectors: Vectors = JSON.parse(
  readFileSync(`${import.meta.dirname}/../../../proto/testdata/calendar.json`, "utf8"),
);

describe("the calendar rules shared with the equipment service", () => {
  test.each(vectors.nextDate)("$start + $interval $unit", ({ start, interval, unit, expected }) => {
    expect(nextDate(start, interval, unit)).toBe(expected);
  });

  test.each(vectors.readDate)("reads $input", ({ input, expected }) => {
    expect(readDate(input)).toBe(expected);
  });

  test.each(vectors.today)("$instant in $timeZone", ({ instant, timeZone, expected }) => {
    expect(dayIn(timeZone, new Date(instant))).toBe(expected);
  });

  test("an unknown time zone counts as UTC", () => {
    expect(dayIn("Mars/Olympus", new Date("2026-03-10T23:00:00Z"))).toBe("2026-03-10");
  });
});
