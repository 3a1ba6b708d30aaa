import { timestampDate } from "@bufbuild/protobuf/wkt";
import {
  HistoryKind,
  type Equipment,
  type HistoryRecord,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { dayIn } from "#/domain/calendar";
import { dialOffset, onDial } from "#/domain/dial";

export interface KnownMeter {
  at: Date;
  day: string;
  /** What the meter of that time showed. */
  dial: number;
  /** Life-to-date. */
  usage: number;
}

export interface KnownMeters {
  /** The last one before the day. */
  earlier: KnownMeter | undefined;
  /** The last one up to the end of the day, or up to the given moment of it. */
  before: KnownMeter | undefined;
  /** The first one after the day. */
  after: KnownMeter | undefined;
}

/** The known meters around a day. */
export function metersAround(
  records: readonly HistoryRecord[],
  equipment: Equipment,
  {
    day,
    zone,
    until,
    first,
  }: {
    day: string;
    zone: string;
    until?: Date | undefined;
    first?: { usage: number; at: Date } | undefined;
  },
): KnownMeters {
  // Usage in an earlier unit was on another dial.
  const counted = records.flatMap((record) => {
    const at = record.capturedAt ?? record.createdAt;
    if (record.voiding || !at || record.unit !== equipment.unit) return [];
    return [{ ...record, at: timestampDate(at) }];
  });
  // A service without a reading of its own only repeats the one before.
  const read = counted.filter(
    ({ kind, reading }) => kind !== HistoryKind.SERVICE || reading !== undefined,
  );
  const known = [...(first ? [first] : []), ...read]
    .flatMap(({ at, usage }) => {
      if (usage === undefined) return [];
      const dial = onDial(
        { currentUsage: offsetAt(counted, equipment, at), meterReading: 0 },
        usage,
      );
      // Of a replacement before the first of these records nothing is known.
      return dial < 0 ? [] : [{ at, dial, usage }];
    })
    .toSorted((one, other) => one.at.getTime() - other.at.getTime())
    .map((each): KnownMeter => ({ ...each, day: dayIn(zone, each.at) }));
  return {
    earlier: known.findLast((each) => each.day < day),
    before: known.findLast((each) => (until ? each.at <= until : each.day <= day)),
    after: known.find((each) => each.day > day),
  };
}

/** How far life-to-date usage was ahead of the meter of that time. */
function offsetAt(
  records: ReadonlyArray<Pick<HistoryRecord, "meterReplacement"> & { at: Date }>,
  equipment: Equipment,
  at: Date,
): number {
  let offset = dialOffset(equipment);
  for (const { at: endedAt, meterReplacement } of records) {
    const { startReading = 0, finalReading } = meterReplacement ?? {};
    if (at < endedAt && finalReading !== undefined) offset += startReading - finalReading;
  }
  return offset;
}
