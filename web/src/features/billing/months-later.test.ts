import { expect, it } from "vitest";
import { monthsLater } from "./months-later";

it.each([
  ["2026-11-21T15:00:00Z", 3, "2027-02-21T15:00:00Z"],
  ["2026-11-30T23:30:00Z", 3, "2027-02-28T23:30:00Z"],
  ["2027-11-30T00:00:00Z", 3, "2028-02-29T00:00:00Z"],
  ["2026-08-31T12:00:00Z", 6, "2027-02-28T12:00:00Z"],
  ["2026-12-31T12:00:00Z", 6, "2027-06-30T12:00:00Z"],
  ["2026-01-01T00:00:00Z", 6, "2026-07-01T00:00:00Z"],
])("%s and %i months", (from, months, later) => {
  expect(monthsLater(new Date(from), months)).toEqual(new Date(later));
});
