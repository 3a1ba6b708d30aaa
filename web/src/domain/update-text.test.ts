import { expect, test } from "vitest";
import { meterDifference } from "./update-text";

test.each([
  [4804.1, 4812.5, 8.4],
  [0.1, 0.3, 0.2],
  [4812.5, 4804.1, -8.4],
  [100, 100, 0],
])("%d to %d is %d", (before, after, difference) => {
  expect(meterDifference(before, after)).toBe(difference);
});
