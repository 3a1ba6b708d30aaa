import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Equipment, HistoryRecord } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { dayIn } from "#/domain/calendar";
import { onDial } from "#/domain/dial";

export interface KnownMeter {
  at: Date;
  day: string;
  /** What the meter shows at that usage. */
  dial: number;
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
  { day, zone, until }: { day: string; zone: string; until?: Date | undefined },
): KnownMeters {
  const known = records
    .flatMap((record) => {
      const at = record.capturedAt ?? record.createdAt;
      if (record.usage === undefined || record.voiding || !at) return [];
      const dial = onDial(equipment, record.usage);
      // Usage of an earlier meter or in an earlier unit is not on the dial.
      if (dial < 0 || record.unit !== equipment.unit) return [];
      return [{ at: timestampDate(at), dial }];
    })
    .toSorted((one, other) => one.at.getTime() - other.at.getTime())
    .map(({ at, dial }): KnownMeter => ({ at, day: dayIn(zone, at), dial }));
  return {
    earlier: known.findLast((each) => each.day < day),
    before: known.findLast((each) => (until ? each.at <= until : each.day <= day)),
    after: known.find((each) => each.day > day),
  };
}
