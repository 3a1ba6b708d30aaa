import { describe, expect, it } from "vitest";
import { hasAtMostTwoDecimals, parseDecimal } from "./decimal";

describe("parseDecimal", () => {
  it.each([
    ["4812.5", 4812.5],
    ["4,812.5", 4812.5],
    ["4 812,5", 4812.5],
    ["1,204", 1204],
    ["1,204,000", 1_204_000],
    ["12,5", 12.5],
    [" 7 ", 7],
    [".5", 0.5],
    [",5", 0.5],
    ["5.", 5],
    ["-3", -3],
    ["0", 0],
  ])("%s is %d", (text, value) => expect(parseDecimal(text)).toBe(value));

  it.each(["", ",", ".", "-", "abc", "1.2.3", "1,2,3", "12 hours", "1e5", "Infinity"])(
    "%s is no number",
    (text) => expect(parseDecimal(text)).toBeNull(),
  );
});

it("two decimals are the most", () => {
  expect(hasAtMostTwoDecimals(0.1 + 0.2)).toBe(false);
  expect(hasAtMostTwoDecimals(1.25)).toBe(true);
  expect(hasAtMostTwoDecimals(1.005)).toBe(false);
});
