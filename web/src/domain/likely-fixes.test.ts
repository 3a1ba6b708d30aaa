import { describe, expect, it, test } from "vitest";
import type { CheckedEntry, CheckedMeter } from "./reading-check";
import { likelyFuel, likelyMachines, likelyReadings } from "./likely-fixes";

const meter: CheckedMeter = {
  unit: "hours",
  meterReading: 4804.1,
  meterReadAt: new Date("2026-11-19T22:40:00Z"),
  usualDailyUse: 8,
  usualFill: 40,
};

const entry = (more: Partial<CheckedEntry>): CheckedEntry => ({
  reading: null,
  fuelAdded: 0,
  capturedAt: new Date("2026-11-20T22:40:00Z"),
  repeatedSecondsAgo: null,
  ...more,
});

describe("likely readings", () => {
  test.each<[string, number, number]>([
    ["the decimal point is missing", 48125, 4812.5],
    ["the decimal point is one place too far left", 481.25, 4812.5],
    ["a digit was typed twice", 44812.5, 4812.5],
    ["two digits were swapped", 8412.5, 4812.5],
    ["a digit is missing", 812.5, 4812.5],
  ])("%s", (_, typed, meant) => {
    expect(likelyReadings(meter, entry({ reading: typed }))[0]).toBe(meant);
  });

  it("excludes implausible readings", () => {
    expect(likelyReadings(meter, entry({ reading: 12 }))).toEqual([]);
    expect(likelyReadings(meter, entry({ reading: 0 }))).toEqual([]);
    expect(likelyReadings(meter, entry({}))).toEqual([]);
  });

  it("returns at most two, closest to the expected reading first", () => {
    const away = { ...meter, meterReadAt: new Date("2026-06-01T00:00:00Z") };
    const found = likelyReadings(away, entry({ reading: 50000 }));
    expect(found.length).toBeLessThanOrEqual(2);
    expect(found[0]).toBe(5000);
  });
});

test("likely fuel amounts", () => {
  expect(likelyFuel(meter, entry({ fuelAdded: 385 }))[0]).toBe(38.5);
  expect(likelyFuel(meter, entry({ fuelAdded: 400 }))[0]).toBe(40);
  expect(likelyFuel({ ...meter, usualFill: null }, entry({ fuelAdded: 301 }))).toHaveLength(2);
});

describe("likely machines", () => {
  const machine = (
    equipmentId: string,
    meterReading: number,
    more: Partial<CheckedMeter> = {},
  ) => ({
    ...meter,
    equipmentId,
    meterReading,
    ...more,
  });
  const machines = [
    machine("this", 4804.1),
    machine("far", 9100),
    machine("near", 9120),
    machine("mine", 9101),
    machine("above", 9130),
    machine("never read", 0, { meterReadAt: null }),
    machine("no meter", 0, { unit: "n/a", usualDailyUse: null }),
  ];
  const ids = (reading: number, oftenUsed: string[] = []) =>
    likelyMachines(machines, entry({ reading }), { notId: "this", oftenUsed }).map(
      ({ equipmentId }) => equipmentId,
    );

  it("fit the reading, closest first", () => {
    expect(ids(9121)).toEqual(["near", "mine", "far"]);
  });

  it("start with the user's own machines", () => {
    expect(ids(9121, ["this", "mine"])).toEqual(["mine", "near", "far"]);
  });

  it("are none when no meter is near", () => {
    expect(ids(7000)).toEqual([]);
  });
});
