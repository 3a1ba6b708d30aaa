import { describe, expect, it } from "vitest";
import { hasTooManyDecimals, parseDecimal } from "./decimal";

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

it.each(["5.000", "88.900", "1.234.567", "4.811,7", "-1.500"])(
  "%s seems to group thousands by points",
  (text) => {
    expect(parseDecimal(text)).toBeNull();
    expect(hasTooManyDecimals(text)).toBe(true);
  },
);

it.each(["0.125", "4811.755", "4,811.755", "1204,555", ".0001"])(
  "%s has too many decimals",
  (text) => {
    expect(parseDecimal(text)).not.toBeNull();
    expect(hasTooManyDecimals(text)).toBe(true);
  },
);

it.each(["", "4,812", "4.81", "4,81", "0.500", "1000.000", "12 hours", "abc.1234"])(
  "%s has not too many decimals",
  (text) => expect(hasTooManyDecimals(text)).toBe(false),
);
