import { checkReading } from "#/domain/reading-check";
import type { FieldMachine } from "./machines";
import { readAt, type OwnUpdate } from "./own-update";
import type { OutboxEntry } from "../send/outbox-entry";

/** A report of this user about a machine. */
export interface OwnReport {
  clientId: string;
  equipmentId: string;
  reading: number | null;
  /** Usage added, instead of a reading. */
  increase: number | null;
  fuelAdded: number;
  notes: string;
  capturedAt: Date;
  /** Whether the server's reading includes it. */
  isApplied?: boolean;
}

/** The last reading of a machine, from the server or reported since by this user. */
export interface LastKnown {
  reading: number;
  /** Null if the meter was never read. */
  at: Date | null;
  /** Whether it is a report of this user that is not applied yet. */
  own: boolean;
}

/** The user's reports from the device and the server, without those that do not count. */
export function ownReports(
  entries: readonly OutboxEntry[],
  sent: readonly OwnUpdate[],
): OwnReport[] {
  const unsent = entries
    .filter((entry) => entry.state !== "refused")
    .map((entry) => ({
      clientId: entry.clientId,
      equipmentId: entry.equipmentId,
      reading: entry.increase == null ? entry.reading : null,
      increase: entry.increase ?? null,
      fuelAdded: entry.fuelAdded ?? 0,
      notes: entry.notes,
      capturedAt: new Date(entry.capturedAt),
    }));
  const unsentIds = new Set(unsent.map((report) => report.clientId));
  const received = sent.flatMap((update) => {
    if (update.status === "rejected" || update.status === "taken_back") return [];
    if (unsentIds.has(update.clientId)) return [];
    const { clientId, equipmentId, newUsage: reading, usageIncrease: increase } = update;
    const { fuelAdded, notes } = update;
    const capturedAt = readAt(update);
    const isApplied = update.status !== "pending";
    return [{ clientId, equipmentId, reading, increase, fuelAdded, notes, capturedAt, isApplied }];
  });
  return [...unsent, ...received].sort(
    (one, other) => one.capturedAt.getTime() - other.capturedAt.getTime(),
  );
}

/**
 * Includes this user's readings that will be applied automatically, but not those that need a
 * manager's decision.
 */
export function lastKnown(machine: FieldMachine, oldestFirst: readonly OwnReport[]): LastKnown {
  let last: LastKnown = { reading: machine.meterReading, at: machine.meterReadAt, own: false };
  for (const { equipmentId, reading: read, increase, capturedAt, isApplied } of oldestFirst) {
    if (equipmentId !== machine.equipmentId) continue;
    // An increase leaves the time of the last reading, and adds nothing to a meter never read.
    if (increase !== null && (isApplied || last.at === null)) continue;
    const reading = increase === null ? read : Math.round((last.reading + increase) * 100) / 100;
    if (reading === null) continue;
    const { late, flags } = checkReading(
      { ...machine, meterReading: last.reading, meterReadAt: last.at },
      { reading, fuelAdded: 0, capturedAt, repeatedSecondsAgo: null },
    );
    // A report with the same time is the one already applied to the meter.
    if (late || flags.length > 0 || sameMoment(capturedAt, last.at)) continue;
    last = { reading, at: increase === null ? capturedAt : last.at, own: true };
  }
  return last;
}

function sameMoment(one: Date, other: Date | null): boolean {
  return one.getTime() === other?.getTime();
}

/** Seconds since the user reported the same figures or, without figures, the same notes. Null if never. */
export function repeatedSecondsAgo(
  report: Omit<OwnReport, "clientId">,
  earlier: readonly OwnReport[],
): number | null {
  const same = earlier.findLast(
    (each) =>
      each.equipmentId === report.equipmentId &&
      each.reading === report.reading &&
      each.increase === report.increase &&
      each.fuelAdded === report.fuelAdded &&
      (hasFigures(report) || each.notes.trim() === report.notes.trim()) &&
      each.capturedAt <= report.capturedAt,
  );
  if (!same) return null;
  return Math.floor((report.capturedAt.getTime() - same.capturedAt.getTime()) / 1_000);
}

function hasFigures({
  reading,
  increase,
  fuelAdded,
}: Pick<OwnReport, "reading" | "increase" | "fuelAdded">): boolean {
  return reading !== null || increase !== null || fuelAdded > 0;
}
