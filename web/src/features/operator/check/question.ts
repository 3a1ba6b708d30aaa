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

/** Why an entry is questioned before it is sent. */
export interface Question {
  entry: OutboxEntry;
  machine: FieldMachine;
  last: LastKnown;
  flags: readonly ReadingFlag[];
  repeatedSecondsAgo: number | null;
  /** The machine with the user's pending readings applied. */
  meter: FieldMachine;
  /** The figures that were compared with the meter. */
  checked: CheckedEntry;
  context: QuestionContext;
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
  context: QuestionContext,
): Question | null {
  if (!machine) return null;
  const { reports } = context;
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
  const meter = { ...machine, meterReading: last.reading, meterReadAt: last.at };
  const { flags } = checkReading(meter, checked);
  if (flags.length === 0) return null;
  return { entry, machine, last, flags, repeatedSecondsAgo: repeated, meter, checked, context };
}

/** The capture time; after the last reading if the device's clock may be wrong. */
function likelyTime(entry: OutboxEntry, last: LastKnown): Date {
  const capturedAt = new Date(atTrueTime(entry)?.capturedAt ?? entry.capturedAt);
  const isUnsure = entry.clockChecked !== true && entry.clockError === null;
  if (!isUnsure || last.at === null || capturedAt > last.at) return capturedAt;
  return new Date(last.at.getTime() + 1_000);
}

/** Identifies an entry's content, so that the same entry is questioned only once. */
export function questionKey(entry: OutboxEntry): string {
  const { equipmentId, reading, increase, fuelAdded, notes } = entry;
  return JSON.stringify([equipmentId, reading, increase, fuelAdded, notes]);
}
