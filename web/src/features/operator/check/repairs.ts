import {
  checkReading,
  mostSince,
  type CheckedEntry,
  type CheckedMeter,
} from "#/domain/reading-check";

/** A machine as far as guessing needs it. */
export interface KnownMachine extends CheckedMeter {
  equipmentId: string;
}

const mostSuggestions = 2;
const mostMachines = 3;
const msPerDay = 86_400_000;

/** Whether the reading surprises nobody; what else was captured does not matter here. */
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
 * What the person may have meant by a reading that can't be right: the decimal point elsewhere, one
 * digit less, two changed over, one more. Only what the machine could really show, the likeliest
 * first.
 */
export function likelyReadings(meter: CheckedMeter, entry: CheckedEntry): number[] {
  const { reading } = entry;
  if (reading === null || reading <= 0) return [];
  const expected = expectedReading(meter, entry.capturedAt);
  const byLikelihood = [
    pointMoved(reading),
    [...oneDigitLess(reading), ...twoChangedOver(reading)],
    oneDigitMore(reading),
  ];
  const found: number[] = [];
  for (const candidates of byLikelihood) {
    const fitting = [...new Set(candidates)]
      .filter((value) => value !== reading && !found.includes(value) && fits(meter, entry, value))
      .sort((one, other) => Math.abs(one - expected) - Math.abs(other - expected));
    found.push(...fitting);
  }
  return found.slice(0, mostSuggestions);
}

/** The same for an amount of fuel above what the tank takes as a rule. */
export function likelyFuel(meter: CheckedMeter, entry: CheckedEntry): number[] {
  const { fuelAdded } = entry;
  const expected = meter.usualFill ?? 0;
  return [...new Set([...pointMoved(fuelAdded), ...oneDigitLess(fuelAdded)])]
    .filter(
      (value) =>
        value > 0 &&
        value < fuelAdded &&
        !checkReading(meter, { ...entry, fuelAdded: value }).flags.includes("fuel_high"),
    )
    .sort((one, other) => Math.abs(one - expected) - Math.abs(other - expected))
    .slice(0, mostSuggestions);
}

/** Other machines whose meter the reading would suit: those of this person first, then the closest. */
export function likelyMachines<Machine extends KnownMachine>(
  machines: readonly Machine[],
  entry: CheckedEntry,
  { notId, oftenUsed }: { notId: string; oftenUsed: readonly string[] },
): Machine[] {
  const { reading, capturedAt } = entry;
  if (reading === null) return [];
  const found = machines.flatMap((machine) => {
    const most = mostSince(machine, capturedAt);
    // Of one that was never read, or that nothing is known of, every reading would seem right.
    if (machine.equipmentId === notId || !most || !fits(machine, entry, reading)) return [];
    return { machine, share: (reading - machine.meterReading) / most };
  });
  const rank = ({ machine }: { machine: Machine }) => {
    const place = oftenUsed.indexOf(machine.equipmentId);
    return place < 0 ? oftenUsed.length : place;
  };
  return found
    .sort((one, other) => rank(one) - rank(other) || one.share - other.share)
    .slice(0, mostMachines)
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
  // By way of hundredths: 4812.5 / 10 has no exact binary form, 48125 / 100 reads right.
  const cents = Math.round(value * 100);
  return [cents / 1_000, cents / 10_000, cents / 10, cents].filter(isQuantity);
}

/** What was typed, digit by digit; the point is left where it stands. */
function digitsOf(value: number): string[] {
  return String(value).split("");
}

function numberOf(digits: readonly string[]): number[] {
  const value = Number(digits.join(""));
  return isQuantity(value) ? [value] : [];
}

function oneDigitLess(value: number): number[] {
  const digits = digitsOf(value);
  return digits.flatMap((digit, index) =>
    digit === "." ? [] : numberOf(digits.toSpliced(index, 1)),
  );
}

function twoChangedOver(value: number): number[] {
  const digits = digitsOf(value);
  return digits.flatMap((digit, index) => {
    const next = digits[index + 1];
    if (next === undefined || digit === "." || next === ".") return [];
    return numberOf(digits.with(index, next).with(index + 1, digit));
  });
}

function oneDigitMore(value: number): number[] {
  const digits = digitsOf(value);
  const places = Array.from({ length: digits.length + 1 }, (_, index) => index);
  return places.flatMap((place) =>
    digitsOf(1_234_567_890).flatMap((digit) => numberOf(digits.toSpliced(place, 0, digit))),
  );
}
