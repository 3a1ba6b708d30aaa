import { describe, expect, it } from "vitest";
import {
  formatCalendarDate,
  formatCost,
  formatFuel,
  formatInstantDay,
  formatMoney,
  formatMonth,
  formatNumber,
  formatPercent,
  formatUsage,
} from "./format";

describe("numbers", () => {
  it.each([
    [4812.5, "4,812.5"],
    [0.1, "0.1"],
    [1_000_000, "1,000,000"],
    [12.345, "12.35"],
  ])("%d reads %s in both languages", (value, text) => {
    expect(formatNumber("en", value)).toBe(text);
    expect(formatNumber("es", value)).toBe(text);
  });

  it("usage is a number and its unit, nothing recorded is 0", () => {
    expect(formatUsage("en", 88904, "miles")).toBe("88,904 miles");
    expect(formatUsage("es", null, "horas")).toBe("0 horas");
    expect(formatUsage("en", undefined, "hours")).toBe("0 hours");
    expect(formatUsage("en", 3, "")).toBe("3");
  });

  it("fuel has one decimal", () => {
    expect(formatFuel("en", 12, "gal")).toBe("12.0 gal");
    expect(formatFuel("es", 1234.56, "gal/L")).toBe("1,234.6 gal/L");
  });

  it("money drops whole cents only", () => {
    expect(formatMoney("en", 3200)).toBe("$32");
    expect(formatMoney("en", 2720)).toBe("$27.20");
    expect(formatMoney("es", 32640)).toBe("$326.40");
  });

  it("a cost keeps its cents", () => {
    expect(formatCost("en", 37300)).toBe("$373.00");
    expect(formatCost("es", 18650)).toBe("$186.50");
  });

  it("percent is a share of a hundred", () => {
    expect(formatPercent("en", 92)).toBe("92%");
  });
});

describe("dates", () => {
  it("are short", () => {
    expect(formatCalendarDate("en", "2025-01-05")).toBe("Jan 5, 2025");
    expect(formatCalendarDate("es", "2025-01-05")).toBe("5 ene 2025");
  });

  it("a date-time counts by its first ten characters", () => {
    expect(formatCalendarDate("en", "2025-01-05T23:59:00-08:00")).toBe("Jan 5, 2025");
  });

  it("a month is short and does not move with the reader's time zone", () => {
    expect(formatMonth("en", "2025-01")).toBe("Jan");
    expect(formatMonth("es", "2025-12")).toBe("dic");
  });

  it("an instant is shown as a day", () => {
    expect(formatInstantDay("en", "2025-01-05T12:00:00Z")).toBe("Jan 5, 2025");
  });
});
