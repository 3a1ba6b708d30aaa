import { expect, test } from "vitest";
import { meterDifference, roundUsual } from "./meter-text";

test.each([
  [4804.1, 4812.5, 8.4],
  [0.1, 0.3, 0.2],
  [4812.5, 4804.1, -8.4],
  [100, 100, 0],
])("%d to %d is %d", (before, after, difference) => {
  expect(meterDifference(before, after)).toBe(difference);
});

test.each([
  [1.73, "hours", 1.7],
  [60.03, "miles", 60],
  [60.5, "kilometers", 61],
  [0.3, "miles", 0.3],
  [0.04, "hours", 0.04],
  [2.26, "n/a", 2.3],
] as const)("%d %s a day is rounded to %d", (usual, unit, rounded) => {
  expect(roundUsual(usual, unit)).toBe(rounded);
});
