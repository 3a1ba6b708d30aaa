import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { EquipmentFuelWord, FuelKindWord, UnitWord } from "./equipment-words";
import { checkReading, type ReadingFlag } from "./reading-check";

interface Vectors {
  meters: Record<
    string,
    {
      unit: UnitWord;
      fuelType?: EquipmentFuelWord;
      meterReading: number;
      meterReadAt: string | null;
      usualDailyUse: number | null;
      usualFill: number | null;
    }
  >;
  cases: {
    name: string;
    meter: string;
    entry: {
      reading: number | null;
      increase?: number;
      unit?: UnitWord;
      fuelAdded: number;
      fuelType?: FuelKindWord;
      capturedAt: string;
      repeatedSecondsAgo: number | null;
    };
    before?: { reading: number; at: string } | null;
    after?: number | null;
    late: boolean;
    flags: ReadingFlag[];
  }[];
}

const { meters, cases }: Vectors = JSON.parse(
  readFileSync(`${import.meta.dirname}/../../../proto/testdata/reading-checks.json`, "utf8"),
);

// The operator-updates service is tested with the same table.
test.each(cases)("$name", ({ meter: name, entry, before, after, late, flags }) => {
  const meter = meters[name];
  if (!meter) throw new Error(`no meter "${name}"`);
  const { meterReadAt, fuelType: fuel = "n/a" } = meter;
  const neighbors =
    before === undefined || after === undefined
      ? undefined
      : { before: before && { ...before, at: new Date(before.at) }, after };
  expect(
    checkReading(
      { ...meter, fuel, meterReadAt: meterReadAt === null ? null : new Date(meterReadAt) },
      { ...entry, capturedAt: new Date(entry.capturedAt) },
      neighbors,
    ),
  ).toEqual({ late, flags });
});
