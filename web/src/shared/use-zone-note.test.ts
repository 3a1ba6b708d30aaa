import { expect, it } from "vitest";
import { hasSameClock } from "./use-zone-note";

it.each([
  ["America/Chicago", "America/Chicago", true],
  ["America/Chicago", "US/Central", true],
  ["America/Chicago", "America/Winnipeg", true],
  ["America/Chicago", "America/Denver", false],
  // Equal only in winter, because Mexico has no daylight saving time.
  ["America/Chicago", "America/Mexico_City", false],
  ["America/Chicago", "Moon/Base", false],
])("%s and %s", (one, other, same) => {
  for (const now of ["2026-01-15T12:00:00Z", "2026-07-15T12:00:00Z"]) {
    expect(hasSameClock(one, other, Date.parse(now))).toBe(same);
  }
});
