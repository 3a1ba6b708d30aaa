import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { HistoryRecord } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";

const dayMs = 86_400_000;

/** What the meter showed, and when that was read. */
export interface Reading {
  id: string;
  at: number;
  usage: number;
}

/** The meter's readings, oldest first; voided entries don't count. */
export function readingsOf(records: readonly HistoryRecord[]): Reading[] {
  return records
    .flatMap((record) => {
      const when = record.capturedAt ?? record.createdAt;
      if (record.usage === undefined || record.voiding || !when) return [];
      return [{ id: record.id, at: timestampMs(when), usage: record.usage }];
    })
    .sort((left, right) => left.at - right.at || left.usage - right.usage);
}

/**
 * Usage a day over the readings. A meter that was replaced or corrected goes down; such a step is no
 * use. Null while less than a week is known: a day or two would promise too much.
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
