import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { unitWord } from "#/domain/equipment-wire";
import { checkReading } from "#/domain/reading-check";
import type { KnownMeter, KnownMeters } from "./meter-on";

/** Why the meter of a service looks wrong, and the reading beside which it does. */
export interface MeterDoubt {
  reason: "below" | "above" | "jump";
  meter: number;
  known: { dial: number; at: Date };
}

/**
 * Compares the meter of a service with the readings around its day, by the rules for readings.
 * Returns null if it fits or if nothing is known. `around` is null for a service of today.
 * `until` is the end of that day, or now.
 */
export function meterDoubt(
  seen: Equipment,
  meter: number,
  around: KnownMeters | null,
  until: Date,
): MeterDoubt | null {
  const { before, after } = around ? { before: around.earlier, after: around.after } : latest(seen);
  const { flags } = checkReading(
    {
      unit: unitWord(seen.unit),
      meterReading: seen.meterReading,
      meterReadAt: before?.at ?? null,
      usualDailyUse: seen.usualDailyUse ?? null,
      usualFill: null,
    },
    { reading: meter, fuelAdded: 0, capturedAt: until, repeatedSecondsAgo: null },
    {
      before: before ? { reading: before.dial, at: before.at } : null,
      after: after?.dial ?? null,
    },
  );
  if (before && flags.includes("below_meter")) return { reason: "below", meter, known: before };
  if (after && flags.includes("contradicts")) return { reason: "above", meter, known: after };
  return before && flags.includes("jump") ? { reason: "jump", meter, known: before } : null;
}

function latest({ meterReading, meterReadAt }: Equipment): {
  before: Pick<KnownMeter, "at" | "dial"> | undefined;
  after: KnownMeter | undefined;
} {
  const before = meterReadAt && { dial: meterReading, at: timestampDate(meterReadAt) };
  return { before, after: undefined };
}
