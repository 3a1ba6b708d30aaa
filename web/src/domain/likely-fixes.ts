import { checkReading, mostSince, type CheckedEntry, type CheckedMeter } from "./reading-check";

export interface KnownMachine extends CheckedMeter {
  equipmentId: string;
}

const maxSuggestions = 2;
const maxMachines = 3;
const msPerDay = 86_400_000;

/** Whether the reading alone raises no flag. */
function fits(meter: CheckedMeter, entry: CheckedEntry, reading: number): boolean {
  const { flags } = checkReading(meter, {
    ...entry,
    reading,
    fuelAdded: 0,
    repeatedSecondsAgo: null,
  });
  return flags.length === 0;
}

/**
 * Likely intended readings for an implausible one: decimal point moved, one digit removed, two digits
 * swapped, one digit added. Returns only plausible readings, likeliest first.
 */
export function likelyReadings(meter: CheckedMeter, entry: CheckedEntry): number[] {
  const { reading } = entry;
  if (reading === null || reading <= 0) return [];
  const expected = expectedReading(meter, entry.capturedAt);
  const byLikelihood = [
    pointMoved(reading),
    [...oneDigitRemoved(reading), ...twoDigitsSwapped(reading)],
    oneDigitAdded(reading),
  ];
  const found: number[] = [];
  for (const candidates of byLikelihood) {
    const fitting = [...new Set(candidates)]
      .filter((value) => value !== reading && !found.includes(value) && fits(meter, entry, value))
      .sort((one, other) => Math.abs(one - expected) - Math.abs(other - expected));
    found.push(...fitting);
  }
  return found.slice(0, maxSuggestions);
}

/** Likely intended amounts for fuel above the typical fill. */
export function likelyFuel(meter: CheckedMeter, entry: CheckedEntry): number[] {
  const { fuelAdded } = entry;
  const expected = meter.usualFill ?? 0;
  return [...new Set([...pointMoved(fuelAdded), ...oneDigitRemoved(fuelAdded)])]
    .filter(
      (value) =>
        value > 0 &&
        value < fuelAdded &&
        !checkReading(meter, { ...entry, fuelAdded: value }).flags.includes("fuel_high"),
    )
    .sort((one, other) => Math.abs(one - expected) - Math.abs(other - expected))
    .slice(0, maxSuggestions);
}

/** Other machines that the reading fits: the user's own first, then the closest. */
export function likelyMachines<Machine extends KnownMachine>(
  machines: readonly Machine[],
  entry: CheckedEntry,
  { notId, oftenUsed }: { notId: string; oftenUsed: readonly string[] },
): Machine[] {
  const { reading, capturedAt } = entry;
  if (reading === null) return [];
  const found = machines.flatMap((machine) => {
    const maxIncrease = mostSince(machine, capturedAt);
    // Without an upper limit every reading would fit.
    if (machine.equipmentId === notId || !maxIncrease || !fits(machine, entry, reading)) return [];
    return { machine, share: (reading - machine.meterReading) / maxIncrease };
  });
  const rank = ({ machine }: { machine: Machine }) => {
    const place = oftenUsed.indexOf(machine.equipmentId);
    return place < 0 ? oftenUsed.length : place;
  };
  return found
    .sort((one, other) => rank(one) - rank(other) || one.share - other.share)
    .slice(0, maxMachines)
    .map(({ machine }) => machine);
}

function expectedReading(
  { meterReading, meterReadAt, usualDailyUse }: CheckedMeter,
  at: Date,
): number {
  if (meterReadAt === null || usualDailyUse === null) return meterReading;
  const days = Math.max(0, (at.getTime() - meterReadAt.getTime()) / msPerDay);
  return meterReading + usualDailyUse * days;
}

function isQuantity(value: number): boolean {
  return Number.isFinite(value) && value <= 1e9 && Number(value.toFixed(2)) === value;
}

function pointMoved(value: number): number[] {
  // Divides hundredths, because 4812.5 / 10 is inexact in binary.
  const cents = Math.round(value * 100);
  return [cents / 1_000, cents / 10_000, cents / 10, cents].filter(isQuantity);
}

/** The characters of the number, including the decimal point. */
function digitsOf(value: number): string[] {
  return String(value).split("");
}

function numberOf(digits: readonly string[]): number[] {
  const value = Number(digits.join(""));
  return isQuantity(value) ? [value] : [];
}

function oneDigitRemoved(value: number): number[] {
  const digits = digitsOf(value);
  return digits.flatMap((digit, index) =>
    digit === "." ? [] : numberOf(digits.toSpliced(index, 1)),
  );
}

function twoDigitsSwapped(value: number): number[] {
  const digits = digitsOf(value);
  return digits.flatMap((digit, index) => {
    const next = digits[index + 1];
    if (next === undefined || digit === "." || next === ".") return [];
    return numberOf(digits.with(index, next).with(index + 1, digit));
  });
}

function oneDigitAdded(value: number): number[] {
  const digits = digitsOf(value);
  const places = Array.from({ length: digits.length + 1 }, (_, index) => index);
  return places.flatMap((place) =>
    digitsOf(1_234_567_890).flatMap((digit) => numberOf(digits.toSpliced(place, 0, digit))),
  );
}
