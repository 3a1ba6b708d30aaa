import { timestampMs } from "@bufbuild/protobuf/wkt";
import {
  HistoryKind,
  type Equipment,
  type HistoryRecord,
  type MeterSegment,
  type MeterUnit,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { TrendRange } from "./search";
import { snoozeOf } from "./snoozed";
import { visitsOf } from "./visits";

const dayMs = 86_400_000;

export interface Reading {
  id: string;
  at: number;
  usage: number;
  /** A meter ended here and the next began. */
  newMeter?: boolean;
}

/** When the next service is due at the usual use. */
export interface Projection {
  at: number;
  usage: number;
  earliest: number;
  latest: number;
}

const daysOf: Record<TrendRange, number> = { "30d": 30, "90d": 90, "1y": 365 };

/** The entries of the last days before `now`. */
export function inRange<Entry extends { at: number }>(
  entries: readonly Entry[],
  range: TrendRange | undefined,
  now: number,
): Entry[] {
  const from = range ? now - daysOf[range] * dayMs : -Infinity;
  return entries.filter(({ at }) => at >= from);
}

/** The entries since the last one in another unit of the meter. */
export function sinceUnit(records: readonly HistoryRecord[], unit: MeterUnit): HistoryRecord[] {
  const others = records.filter((record) => record.unit !== unit);
  const changed = Math.max(...others.map(timeOf));
  return records.filter((record) => timeOf(record) > changed);
}

const timeOf = ({ capturedAt, createdAt }: HistoryRecord): number => {
  const when = capturedAt ?? createdAt;
  return when ? timestampMs(when) : 0;
};

/** The times of the services, without voided ones. */
export function servicesOf(records: readonly HistoryRecord[]): Array<{ id: string; at: number }> {
  // A service of several tasks counts once.
  return visitsOf(records, "").flatMap(({ record }) => {
    if (record.kind !== HistoryKind.SERVICE || record.voiding) return [];
    const when = record.capturedAt ?? record.createdAt;
    const at = record.performedOn === "" ? when && timestampMs(when) : noon(record.performedOn);
    return at === undefined ? [] : [{ id: record.id, at }];
  });
}

/** Null for a task that is due by its date or already, or without a usual use. */
export function projectionOf(equipment: Equipment, today: string): Projection | null {
  const { projectedDueDate: date, projectedDueTask: task, currentUsage } = equipment;
  if (!task || task.byCalendar || snoozeOf(equipment)) return null;
  if (!task.remainingUsage || date <= today) return null;
  return {
    at: noon(date),
    usage: currentUsage + task.remainingUsage,
    earliest: noon(equipment.projectedDueEarliest || date),
    latest: noon(equipment.projectedDueLatest || date),
  };
}

const noon = (date: string): number => Date.parse(`${date}T12:00:00Z`);

/** The readings from `start`, oldest first, without voided entries. */
export function readingsOf(
  records: readonly HistoryRecord[],
  start: readonly Reading[] = [],
): Reading[] {
  return records
    .flatMap((record) => {
      // A service without a typed meter is not a reading, and edits are not drawn.
      const isService = record.kind === HistoryKind.SERVICE;
      if ((isService && record.reading === undefined) || record.kind === HistoryKind.EDIT)
        return [];
      const when = record.capturedAt ?? record.createdAt;
      if (record.usage === undefined || record.voiding || !when) return [];
      const reading: Reading = { id: record.id, at: timestampMs(when), usage: record.usage };
      return [record.kind === HistoryKind.METER ? { ...reading, newMeter: true } : reading];
    })
    .concat(start)
    .sort((left, right) => left.at - right.at || left.usage - right.usage)
    .filter(({ at, usage }, index, all) => {
      // A service of several tasks has one reading.
      const before = all[index - 1];
      return before?.at !== at || before.usage !== usage;
    });
}

/** The reading that a machine was added with; none if it began at 0, since nobody may have read it. */
export function startOf(
  meter: MeterSegment | undefined,
  records: readonly HistoryRecord[],
): Reading[] {
  if (!meter?.startedAt || meter.startUsage === 0) return [];
  // An edit may have corrected it.
  if (records.some(({ kind, usage }) => kind === HistoryKind.EDIT && usage !== undefined))
    return [];
  return [{ id: "start", at: timestampMs(meter.startedAt), usage: meter.startUsage }];
}

/** The reading in the new unit when the unit was changed, from the first of the `records` after it. */
export function startOfUnit(
  { unitSince }: Pick<Equipment, "unitSince">,
  records: readonly HistoryRecord[],
): Reading[] {
  const first = records.findLast(
    ({ kind, usageBefore, voiding }) =>
      kind !== HistoryKind.EDIT && usageBefore !== undefined && !voiding,
  );
  if (!unitSince || first?.usageBefore === undefined) return [];
  return [{ id: "unit", at: timestampMs(unitSince), usage: first.usageBefore }];
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
