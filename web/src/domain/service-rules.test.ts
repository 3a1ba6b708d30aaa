import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { ServiceStatus } from "./service-status";
import { calendarFigures, usageFigures, type CalendarRule, type UsageRule } from "./service-rules";

interface Vectors {
  usage: Array<{
    name: string;
    input: UsageRule & { usage: number };
    expected: { due: number | null; status: ServiceStatus; missedRounds: number };
  }>;
  calendar: Array<{
    name: string;
    input: CalendarRule & { today: string };
    expected: { next: string | null; status: ServiceStatus | null; missedRounds: number };
  }>;
}

const vectors: Vectors = JSON.parse(
  readFileSync(`${import.meta.dirname}/../../../proto/testdata/service-rules.json`, "utf8"),
);

describe("by usage", () => {
  it.each(vectors.usage)("$name", ({ input, expected }) => {
    expect(usageFigures(input, input.usage)).toEqual(expected);
  });
});

describe("by calendar", () => {
  it.each(vectors.calendar)("$name", ({ input, expected }) => {
    const figures = calendarFigures(input, input.today);
    expect({
      next: figures?.due ?? null,
      status: figures?.status ?? null,
      missedRounds: figures?.missedRounds ?? 0,
    }).toEqual(expected);
  });
});
