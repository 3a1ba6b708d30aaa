import { checkReading, type CheckedEntry, type ReadingFlag } from "#/domain/reading-check";
import {
  lastKnown,
  repeatedSecondsAgo,
  type LastKnown,
  type OwnReport,
} from "../offline-data/last-known";
import type { FieldMeter } from "../offline-data/meters";
import type { OutboxEntry } from "../send/outbox-entry";
import { likelyFuel, likelyMachines, likelyReadings } from "./repairs";

/** Why an entry is asked about once before it is sent, and what may have been meant. */
export interface Question {
  entry: OutboxEntry;
  meter: FieldMeter;
  last: LastKnown;
  flags: readonly ReadingFlag[];
  repeatedSecondsAgo: number | null;
  readings: readonly number[];
  machines: readonly FieldMeter[];
  fuels: readonly number[];
}

interface Known {
  meters: readonly FieldMeter[];
  reports: readonly OwnReport[];
  oftenUsed: readonly string[];
}

/** Null when there is nothing to ask. */
export function questionAbout(
  entry: OutboxEntry,
  meter: FieldMeter | undefined,
  { meters, reports, oftenUsed }: Known,
): Question | null {
  if (!meter) return null;
  const last = lastKnown(meter, reports);
  const capturedAt = new Date(entry.capturedAt);
  const fuelAdded = entry.fuelAdded ?? 0;
  const repeated = repeatedSecondsAgo({ ...entry, fuelAdded, capturedAt }, reports);
  const checked: CheckedEntry = {
    reading: entry.reading,
    fuelAdded,
    capturedAt,
    repeatedSecondsAgo: repeated,
  };
  // Readings of this person that are on their way count as if they had arrived.
  const known = withLast(meter, last);
  const { flags } = checkReading(known, checked);
  if (flags.length === 0) return null;
  const wrongReading = flags.includes("below_meter") || flags.includes("jump");
  return {
    entry,
    meter,
    last,
    flags,
    repeatedSecondsAgo: repeated,
    readings: wrongReading ? likelyReadings(known, checked) : [],
    machines: wrongReading
      ? likelyMachines(
          meters.filter((each) => each.unit === meter.unit),
          checked,
          { notId: meter.equipmentId, oftenUsed },
        )
      : [],
    fuels: flags.includes("fuel_high") ? likelyFuel(known, checked) : [],
  };
}

function withLast(meter: FieldMeter, { reading, at }: LastKnown): FieldMeter {
  return { ...meter, meterReading: reading, meterReadAt: at };
}

/** The same entry pressed again has been asked about already. */
export function sameAsAsked(entry: OutboxEntry): string {
  const { equipmentId, reading, fuelAdded, notes } = entry;
  return JSON.stringify([equipmentId, reading, fuelAdded, notes]);
}
