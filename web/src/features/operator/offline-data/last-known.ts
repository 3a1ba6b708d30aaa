import { checkReading } from "#/domain/reading-check";
import type { FieldMeter } from "./meters";
import { readAt, type OwnUpdate } from "./own-update";
import type { OutboxEntry } from "../send/outbox-entry";

/** What somebody has reported of a machine. */
export interface OwnReport {
  clientId: string;
  equipmentId: string;
  reading: number | null;
  fuelAdded: number;
  notes: string;
  capturedAt: Date;
}

/** The last thing known of a meter: what the server said, or what this person read since. */
export interface LastKnown {
  reading: number;
  /** Null: never read. */
  at: Date | null;
  /** Reported by this person, and not applied yet. */
  own: boolean;
}

/** The person's own reports, as far as they were not refused: from this phone and from the server. */
export function ownReports(
  entries: readonly OutboxEntry[],
  sent: readonly OwnUpdate[],
): OwnReport[] {
  const unsent = entries
    .filter((entry) => entry.state !== "refused")
    .map((entry) => ({
      clientId: entry.clientId,
      equipmentId: entry.equipmentId,
      reading: entry.reading,
      fuelAdded: entry.fuelAdded ?? 0,
      notes: entry.notes,
      capturedAt: new Date(entry.capturedAt),
    }));
  const known = new Set(unsent.map((report) => report.clientId));
  const received = sent.flatMap((update) => {
    if (update.status === "rejected" || known.has(update.clientId)) return [];
    const { clientId, equipmentId, newUsage: reading, fuelAdded, notes } = update;
    return [{ clientId, equipmentId, reading, fuelAdded, notes, capturedAt: readAt(update) }];
  });
  return [...unsent, ...received].sort(
    (one, other) => one.capturedAt.getTime() - other.capturedAt.getTime(),
  );
}

/**
 * Readings of this person that the meter does not know of yet count, as they will once they are
 * applied. One that the manager has to decide on does not.
 */
export function lastKnown(meter: FieldMeter, oldestFirst: readonly OwnReport[]): LastKnown {
  let last: LastKnown = { reading: meter.meterReading, at: meter.meterReadAt, own: false };
  for (const { equipmentId, reading, capturedAt } of oldestFirst) {
    if (equipmentId !== meter.equipmentId || reading === null) continue;
    const { late, flags } = checkReading(
      { ...meter, meterReading: last.reading, meterReadAt: last.at },
      { reading, fuelAdded: 0, capturedAt, repeatedSecondsAgo: null },
    );
    // What the meter was read as by the very same report is no news.
    if (late || flags.length > 0 || sameMoment(capturedAt, last.at)) continue;
    last = { reading, at: capturedAt, own: true };
  }
  return last;
}

function sameMoment(one: Date, other: Date | null): boolean {
  return one.getTime() === other?.getTime();
}

/** How long ago this person reported the same figures (or, without any, the same notes); null: never. */
export function repeatedSecondsAgo(
  report: Omit<OwnReport, "clientId">,
  earlier: readonly OwnReport[],
): number | null {
  const same = earlier.findLast(
    (each) =>
      each.equipmentId === report.equipmentId &&
      each.reading === report.reading &&
      each.fuelAdded === report.fuelAdded &&
      (hasFigures(report) || each.notes.trim() === report.notes.trim()) &&
      each.capturedAt <= report.capturedAt,
  );
  if (!same) return null;
  return Math.floor((report.capturedAt.getTime() - same.capturedAt.getTime()) / 1_000);
}

function hasFigures({ reading, fuelAdded }: Pick<OwnReport, "reading" | "fuelAdded">): boolean {
  return reading !== null || fuelAdded > 0;
}
