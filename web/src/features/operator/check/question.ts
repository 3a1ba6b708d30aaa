import { checkReading, type CheckedEntry, type ReadingFlag } from "#/domain/reading-check";
import {
  lastKnown,
  repeatedSecondsAgo,
  type LastKnown,
  type OwnReport,
} from "../offline-data/last-known";
import type { FieldMachine } from "../offline-data/machines";
import { atTrueTime } from "../send/capture-clock";
import type { OutboxEntry } from "../send/outbox-entry";
import { likelyFuel, likelyMachines, likelyReadings } from "#/domain/likely-fixes";

/** Why an entry is questioned before it is sent, and which fixes are likely. */
export interface Question {
  entry: OutboxEntry;
  machine: FieldMachine;
  last: LastKnown;
  flags: readonly ReadingFlag[];
  repeatedSecondsAgo: number | null;
  readings: readonly number[];
  machines: readonly FieldMachine[];
  fuels: readonly number[];
}

interface QuestionContext {
  machines: readonly FieldMachine[];
  reports: readonly OwnReport[];
  oftenUsed: readonly string[];
}

/** Returns null for a plausible entry. */
export function questionAbout(
  entry: OutboxEntry,
  machine: FieldMachine | undefined,
  { machines, reports, oftenUsed }: QuestionContext,
): Question | null {
  if (!machine) return null;
  const last = lastKnown(machine, reports);
  const capturedAt = likelyTime(entry, last);
  const fuelAdded = entry.fuelAdded ?? 0;
  const increase = entry.increase ?? null;
  const reading = increase === null ? entry.reading : null;
  const figures = { reading, increase, fuelAdded };
  const repeated = repeatedSecondsAgo({ ...entry, ...figures, capturedAt }, reports);
  const checked: CheckedEntry = {
    reading,
    increase,
    fuelAdded,
    fuelType: entry.fuelKind,
    capturedAt,
    repeatedSecondsAgo: repeated,
  };
  // The user's pending readings count as applied.
  const current = withLast(machine, last);
  const { flags } = checkReading(current, checked);
  if (flags.length === 0) return null;
  const wrongReading = flags.includes("below_meter") || flags.includes("jump");
  return {
    entry,
    machine,
    last,
    flags,
    repeatedSecondsAgo: repeated,
    readings: wrongReading ? likelyReadings(current, checked) : [],
    machines: wrongReading
      ? likelyMachines(
          machines.filter((each) => each.unit === machine.unit),
          checked,
          { notId: machine.equipmentId, oftenUsed },
        )
      : [],
    fuels: flags.includes("fuel_high") ? likelyFuel(current, checked) : [],
  };
}

/** The capture time; after the last reading if the device's clock may be wrong. */
function likelyTime(entry: OutboxEntry, last: LastKnown): Date {
  const capturedAt = new Date(atTrueTime(entry)?.capturedAt ?? entry.capturedAt);
  const isUnsure = entry.clockChecked !== true && entry.clockError === null;
  if (!isUnsure || last.at === null || capturedAt > last.at) return capturedAt;
  return new Date(last.at.getTime() + 1_000);
}

function withLast(machine: FieldMachine, { reading, at }: LastKnown): FieldMachine {
  return { ...machine, meterReading: reading, meterReadAt: at };
}

/** Identifies an entry's content, so that the same entry is questioned only once. */
export function questionKey(entry: OutboxEntry): string {
  const { equipmentId, reading, increase, fuelAdded, notes } = entry;
  return JSON.stringify([equipmentId, reading, increase, fuelAdded, notes]);
}
