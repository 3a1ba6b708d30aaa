import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { daysBeforeRange, daysOf, isWithin, sinceReset } from "./range";
import { fuelRangeEntries } from "./range-search";

const today = "2026-03-15";

describe("the range of the fuel figures", () => {
  it.each([
    [{}, sinceReset],
    [{ fuel: "30-days" }, { from: "2026-02-14", to: today }],
    [{ fuel: "year" }, { from: "2026-01-01", to: today }],
    [{ fuel: "12-months" }, { from: "2025-04-01", to: today }],
    [
      { fuel: "custom", fuelFrom: "2026-01-05" },
      { from: "2026-01-05", to: "" },
    ],
    [
      { fuel: "custom", fuelTo: "2026-01-05" },
      { from: "", to: "2026-01-05" },
    ],
    [
      { fuel: "custom", fuelFrom: today, fuelTo: today },
      { from: today, to: today },
    ],
    [{ fuel: "custom" }, null],
    [{ fuel: "custom", fuelFrom: "2026-03-16", fuelTo: today }, null],
  ] as const)("%j", (range, days) => {
    expect(daysOf({ fuelFrom: undefined, fuelTo: undefined, ...range }, today)).toEqual(days);
  });

  it.each([
    [{}, null],
    [{ fuel: "30-days" }, { from: "2026-01-15", to: "2026-02-13" }],
    [{ fuel: "year" }, { from: "2025-01-01", to: "2025-03-15" }],
    [{ fuel: "12-months" }, { from: "2024-04-01", to: "2025-03-15" }],
    [{ fuel: "custom", fuelFrom: "2026-01-05" }, null],
    [{ fuel: "custom", fuelTo: "2026-01-05" }, null],
    [{ fuel: "custom" }, null],
    [
      { fuel: "custom", fuelFrom: today, fuelTo: today },
      { from: "2026-03-14", to: "2026-03-14" },
    ],
    [
      { fuel: "custom", fuelFrom: "2024-02-01", fuelTo: "2024-02-29" },
      { from: "2024-01-03", to: "2024-01-31" },
    ],
    [{ fuel: "custom", fuelFrom: "2000-01-01", fuelTo: "2000-01-31" }, null],
  ] as const)("compares %j", (range, days) => {
    const given = { fuelFrom: undefined, fuelTo: undefined, ...range };
    expect(daysBeforeRange(given, today)).toEqual(days);
  });

  it("compares February 29 with February 28 of the year before", () => {
    const year = { fuel: "year", fuelFrom: undefined, fuelTo: undefined } as const;
    expect(daysBeforeRange(year, "2028-02-29")).toEqual({ from: "2027-01-01", to: "2027-02-28" });
  });

  it("drops invalid values from the URL", () => {
    const read = (search: unknown) => v.parse(v.object(fuelRangeEntries), search);
    expect(read({ fuel: "never", fuelFrom: "2026-02-30", fuelTo: "1899-01-01" })).toEqual({});
    expect(read({ fuel: "custom", fuelFrom: "2026-02-28" })).toEqual({
      fuel: "custom",
      fuelFrom: "2026-02-28",
    });
  });

  it("counts the first and the last day", () => {
    const days = { from: "2026-01-01", to: "2026-01-31" };
    expect(
      ["2025-12-31", "2026-01-01", "2026-01-31", "2026-02-01"].map((d) => isWithin(days, d)),
    ).toEqual([false, true, true, false]);
    expect(isWithin(sinceReset, "1999-01-01")).toBe(true);
  });
});
