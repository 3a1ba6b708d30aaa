import type { EquipmentFuelWord, FuelKindWord, UnitWord } from "./equipment-words";

/** Reasons to question a submission, in display order. */
export type ReadingFlag =
  | "below_meter"
  | "contradicts"
  | "jump"
  | "fuel_high"
  | "wrong_fuel"
  | "wrong_unit"
  | "repeated";

export interface CheckedMeter {
  unit: UnitWord;
  /** Left out: not specified. */
  fuel?: EquipmentFuelWord;
  /** What it shows. */
  meterReading: number;
  /** Null: it was never read. */
  meterReadAt: Date | null;
  /** Null: too few readings. */
  usualDailyUse: number | null;
  /** Gallons; null: too few fills. */
  usualFill: number | null;
}

/** The readings before and after the capture time; null: none. */
export interface Neighbors {
  /** `at` is null if the time is unknown. */
  before: { reading: number; at: Date | null } | null;
  after: number | null;
}

/** What was captured. */
export interface CheckedEntry {
  /** Null: none. */
  reading: number | null;
  /** Usage added, instead of a reading. */
  increase?: number | null;
  /** Left out: the machine's. */
  unit?: UnitWord;
  /** Gallons, 0: none. */
  fuelAdded: number;
  /** Left out: the machine's. */
  fuelType?: FuelKindWord;
  capturedAt: Date;
  /** The time since the same person reported the same figures for the same machine; null: never. */
  repeatedSecondsAgo: number | null;
}

const day = 86_400n;
const repeatedWithinSeconds = 600;
/** Fuel of one fill above which it is flagged while the usual fill is unknown. */
const defaultFuelLimit = 300;
const minFuelLimit = 20;

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
  { before, after }: Neighbors = knownNeighbors(meter, entry),
): { late: boolean; flags: ReadingFlag[] } {
  const { capturedAt, fuelAdded } = entry;
  const wrongUnit = entry.unit !== undefined && entry.unit !== meter.unit && hasUsage(entry);
  const reading = entry.reading === null || wrongUnit ? null : hundredths(entry.reading);
  const rise = reading === null || !before ? null : reading - hundredths(before.reading);
  const sameTime = before?.at?.getTime() === capturedAt.getTime();
  const increase = wrongUnit ? null : (entry.increase ?? null);
  const moved = increase === null ? rise : hundredths(increase);
  const holds: [boolean, ReadingFlag][] = [
    [rise !== null && rise < 0n, "below_meter"],
    [
      (reading !== null && after !== null && reading > hundredths(after)) ||
        (rise !== null && rise !== 0n && sameTime),
      "contradicts",
    ],
    [isJump(meter, moved, before?.at ?? null, capturedAt), "jump"],
    [hundredths(fuelAdded) > fuelLimit(meter.usualFill), "fuel_high"],
    [fuelAdded > 0 && isWrongFuel(meter, entry), "wrong_fuel"],
    [wrongUnit, "wrong_unit"],
    [
      entry.repeatedSecondsAgo !== null && entry.repeatedSecondsAgo <= repeatedWithinSeconds,
      "repeated",
    ],
  ];
  return {
    late: isLate(meter, entry),
    flags: holds.filter(([held]) => held).map(([, flag]) => flag),
  };
}

/** A device knows only the last reading. */
function knownNeighbors(meter: CheckedMeter, entry: CheckedEntry): Neighbors {
  const { meterReading: reading, meterReadAt: at } = meter;
  return isLate(meter, entry)
    ? { before: null, after: reading }
    : { before: { reading, at }, after: null };
}

function isLate({ meterReadAt }: CheckedMeter, { capturedAt }: CheckedEntry): boolean {
  return meterReadAt !== null && capturedAt < meterReadAt;
}

function hasUsage({ reading, increase }: CheckedEntry): boolean {
  return (reading ?? increase ?? null) !== null;
}

function isWrongFuel({ fuel }: CheckedMeter, { fuelType }: CheckedEntry): boolean {
  return fuelType === "gas" ? fuel === "diesel" : fuelType === "diesel" && fuel === "gasoline";
}

function isJump(
  meter: CheckedMeter,
  moved: bigint | null,
  readAt: Date | null,
  capturedAt: Date,
): boolean {
  const perDay = maxPerDay(meter);
  if (perDay === null || readAt === null || moved === null) return false;
  return moved * day > perDay * secondsOf(readAt, capturedAt);
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
  if (usualFill === null) return hundredths(defaultFuelLimit);
  const thrice = 3n * hundredths(usualFill);
  const minimum = hundredths(minFuelLimit);
  return thrice > minimum ? thrice : minimum;
}

/** Calculated in hundredths to avoid floating-point drift. */
function hundredths(quantity: number): bigint {
  return BigInt(Math.round(quantity * 100));
}
