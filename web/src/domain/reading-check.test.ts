import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { UnitWord } from "./equipment-words";
import { checkReading, type ReadingFlag } from "./reading-check";

interface Vectors {
  meters: Record<
    string,
    {
      unit: UnitWord;
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
      fuelAdded: number;
      capturedAt: string;
      repeatedSecondsAgo: number | null;
    };
    late: boolean;
    flags: ReadingFlag[];
  }[];
}

const { meters, cases }: Vectors = JSON.parse(
  readFileSync(`${import.meta.dirname}/../../../proto/testdata/reading-checks.json`, "utf8"),
);

// The operator-updates service is tested with the same table.
test.each(cases)("$name", ({ meter: name, entry, late, flags }) => {
  const meter = meters[name];
  if (!meter) throw new Error(`no meter "${name}"`);
  const { meterReadAt } = meter;
  expect(
    checkReading(
      { ...meter, meterReadAt: meterReadAt === null ? null : new Date(meterReadAt) },
      { ...entry, capturedAt: new Date(entry.capturedAt) },
    ),
  ).toEqual({ late, flags });
});
