import { timestampMs } from "@bufbuild/protobuf/wkt";
import { HistoryKind, type HistoryRecord } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";

const dayMs = 86_400_000;

export interface Reading {
  id: string;
  at: number;
  usage: number;
  /** A meter ended here and the next began. */
  newMeter?: boolean;
}

/** The readings, oldest first, without voided entries. */
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
 * Usage per day over the readings. Downward corrections are not usage. Null for less than a week of
 * readings, which would be unreliable.
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
