import { expect, it } from "vitest";
import { ticks } from "./scale";

it.each([
  [0, [0, 1]],
  [1, [0, 0.25, 0.5, 0.75, 1]],
  [12.4, [0, 5, 10, 15]],
  [100, [0, 25, 50, 75, 100]],
  [318.2, [0, 100, 200, 300, 400]],
  [0.3, [0, 0.1, 0.2, 0.3]],
])("a chart up to %d has lines at %j", (max, lines) => {
  expect(ticks(max)).toEqual(lines);
});
