import type { UnitWord } from "./equipment-words";

/** Reasons to question a submission, in display order. */
export type ReadingFlag = "below_meter" | "jump" | "fuel_high" | "repeated";

export interface CheckedMeter {
  unit: UnitWord;
  /** What it shows. */
  meterReading: number;
  /** Null: it was never read. */
  meterReadAt: Date | null;
  /** Null: too few readings. */
  usualDailyUse: number | null;
  /** Gallons; null: too few fills. */
  usualFill: number | null;
}

/** What was captured. */
export interface CheckedEntry {
  /** Null: none. */
  reading: number | null;
  /** Gallons, 0: none. */
  fuelAdded: number;
  capturedAt: Date;
  /** The time since the same person reported the same figures for the same machine; null: never. */
  repeatedSecondsAgo: number | null;
}

const day = 86_400n;
const repeatedWithinSeconds = 600;
const unusualFill = 300;
const minUnusualFill = 20;

/** More than `most` a day is impossible; up to `floor` a day is never flagged. */
const perDayOf: Record<Exclude<UnitWord, "n/a">, { most: bigint; floor: bigint }> = {
  hours: { most: hundredths(24), floor: hundredths(12) },
  miles: { most: hundredths(1_000), floor: hundredths(300) },
  kilometers: { most: hundredths(1_600), floor: hundredths(500) },
};

/** The operator-updates service has the same rules; both are tested with the same cases. */
export function checkReading(
  meter: CheckedMeter,
  entry: CheckedEntry,
): { late: boolean; flags: ReadingFlag[] } {
  const late = meter.meterReadAt !== null && entry.capturedAt < meter.meterReadAt;
  const flags: ReadingFlag[] = [];
  if (!late && entry.reading !== null) {
    const moved = hundredths(entry.reading) - hundredths(meter.meterReading);
    if (moved < 0n) flags.push("below_meter");
    else if (isJump(meter, moved, entry.capturedAt)) flags.push("jump");
  }
  if (hundredths(entry.fuelAdded) > fuelLimit(meter.usualFill)) flags.push("fuel_high");
  if (entry.repeatedSecondsAgo !== null && entry.repeatedSecondsAgo <= repeatedWithinSeconds) {
    flags.push("repeated");
  }
  return { late, flags };
}

function isJump(meter: CheckedMeter, moved: bigint, capturedAt: Date): boolean {
  const perDay = maxPerDay(meter);
  if (perDay === null || meter.meterReadAt === null) return false;
  return moved * day > perDay * secondsOf(meter.meterReadAt, capturedAt);
}

/** One day's maximum is always allowed. */
function secondsOf(from: Date, to: Date): bigint {
  const seconds = BigInt(Math.floor((to.getTime() - from.getTime()) / 1_000));
  return seconds > day ? seconds : day;
}

/** The largest plausible increase since the last reading; null: no limit. */
export function mostSince(meter: CheckedMeter, until: Date): number | null {
  const perDay = maxPerDay(meter);
  if (perDay === null || meter.meterReadAt === null) return null;
  return Number((perDay * secondsOf(meter.meterReadAt, until)) / day) / 100;
}

/** Null: no limit. */
function maxPerDay({ unit, usualDailyUse }: CheckedMeter): bigint | null {
  const thrice = usualDailyUse === null ? null : 3n * hundredths(usualDailyUse);
  if (unit === "n/a") return thrice;
  const { most, floor } = perDayOf[unit];
  if (thrice === null || thrice > most) return most;
  return thrice < floor ? floor : thrice;
}

function fuelLimit(usualFill: number | null): bigint {
  if (usualFill === null) return hundredths(unusualFill);
  const thrice = 3n * hundredths(usualFill);
  const minimum = hundredths(minUnusualFill);
  return thrice > minimum ? thrice : minimum;
}

/** Calculated in hundredths to avoid floating-point drift. */
function hundredths(quantity: number): bigint {
  return BigInt(Math.round(quantity * 100));
}
