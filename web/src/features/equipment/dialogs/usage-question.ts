import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { equipmentFuelWord, unitWord } from "#/domain/equipment-wire";
import { likelyFuel, likelyReadings } from "#/domain/likely-fixes";
import { checkReading, type CheckedEntry, type ReadingFlag } from "#/domain/reading-check";
import { parseDecimal } from "#/shared/form/decimal";
import type { Questioned } from "#/shared/reading-check/questioned";
import { readMoment } from "../meters/moment";
import type { UsageValues } from "./usage-schema";

export interface UsageQuestion extends Questioned {
  values: UsageValues;
  flags: readonly ReadingFlag[];
  readings: readonly number[];
  fuels: readonly number[];
  /** An increase that would be plausible as the reading. */
  asReading: number | null;
}

// The form itself shows another fuel, and the server knows the readings around an earlier time.
const questioned: ReadonlySet<ReadingFlag> = new Set(["below_meter", "jump", "fuel_high"]);

/** Why an entry looks wrong, by the rules of the operators' form; null if it does not. */
export function usageQuestion(
  seen: Equipment,
  values: UsageValues,
  now: Date,
): UsageQuestion | null {
  const isReading = values.way === "reading";
  const typed = parseDecimal(isReading ? values.reading : values.usageIncrease);
  const fuelAdded = parseDecimal(values.fuelAdded) ?? 0;
  const capturedAt = (isReading ? readMoment(values.capturedAt) : null) ?? now;
  const at = seen.meterReadAt ? timestampDate(seen.meterReadAt) : null;
  const machine = {
    name: seen.name,
    unit: unitWord(seen.unit),
    fuel: equipmentFuelWord(seen.fuel),
    meterReading: seen.meterReading,
    meterReadAt: at,
    usualDailyUse: seen.usualDailyUse ?? null,
    usualFill: seen.usualFill ?? null,
  };
  const entry: CheckedEntry = {
    reading: isReading ? typed : null,
    increase: isReading ? null : typed,
    fuelAdded,
    fuelType: values.fuelKind,
    capturedAt,
    repeatedSecondsAgo: null,
  };
  const flags = checkReading(machine, entry).flags.filter((flag) => questioned.has(flag));
  if (flags.length === 0) return null;
  const isWrong = isReading && !(flags.length === 1 && flags[0] === "fuel_high");
  const asReading = { ...entry, reading: typed, increase: null, fuelAdded: 0 };
  const mayBeReading = !isReading && checkReading(machine, asReading).flags.length === 0;
  return {
    values,
    machine,
    last: { reading: seen.meterReading, at },
    entry: {
      reading: isReading || typed === null ? typed : seen.meterReading + typed,
      increase: entry.increase,
      capturedAt: capturedAt.toISOString(),
      fuelAdded,
      fuelKind: values.fuelKind,
    },
    flags,
    repeatedSecondsAgo: null,
    readings: isWrong ? likelyReadings(machine, entry) : [],
    fuels: flags.includes("fuel_high") ? likelyFuel(machine, entry) : [],
    asReading: mayBeReading ? typed : null,
  };
}
