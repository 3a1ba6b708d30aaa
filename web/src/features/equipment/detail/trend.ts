import { timestampMs } from "@bufbuild/protobuf/wkt";
import { HistoryKind, type HistoryRecord } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";

const dayMs = 86_400_000;

/** Life-to-date usage, and when it was read. */
export interface Reading {
  id: string;
  at: number;
  usage: number;
  /** A meter ended here and the next began. */
  newMeter?: boolean;
}

/** The meter's readings, oldest first; voided entries don't count. */
export function readingsOf(records: readonly HistoryRecord[]): Reading[] {
  return records
    .flatMap((record) => {
      const when = record.capturedAt ?? record.createdAt;
      if (record.usage === undefined || record.voiding || !when) return [];
      const reading: Reading = { id: record.id, at: timestampMs(when), usage: record.usage };
      return [record.kind === HistoryKind.METER ? { ...reading, newMeter: true } : reading];
    })
    .sort((left, right) => left.at - right.at || left.usage - right.usage);
}

/**
 * Usage a day over the readings. A meter that was corrected goes down; such a step is no use. Null while less than a week is known: a day or two would promise too much.
 */
export function pacePerDay(readings: readonly Reading[]): number | null {
  const first = readings[0];
  const last = readings.at(-1);
  if (!first || !last || last.at - first.at < 7 * dayMs) return null;
  let used = 0;
  for (const [index, reading] of readings.entries()) {
    used += Math.max(0, reading.usage - (readings[index - 1]?.usage ?? reading.usage));
  }
  return used > 0 ? (used * dayMs) / (last.at - first.at) : null;
}

/** The day the remaining usage is used up at this pace; null when that is years away. */
export function dayReached(remaining: number, pace: number | null, now: Date): Date | null {
  if (pace === null || remaining <= 0) return null;
  const days = remaining / pace;
  return days > 730 ? null : new Date(now.getTime() + days * dayMs);
}
