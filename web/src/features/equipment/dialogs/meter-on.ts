import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Equipment, HistoryRecord } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { dayIn } from "#/domain/calendar";
import { onDial } from "#/domain/dial";

export interface KnownMeter {
  day: string;
  /** What the meter shows at that usage. */
  dial: number;
}

/** The last known meter up to a day, and the first one after it. */
export function metersAround(
  records: readonly HistoryRecord[],
  equipment: Equipment,
  { day, zone }: { day: string; zone: string },
): { before: KnownMeter | undefined; after: KnownMeter | undefined } {
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
    .map(({ at, dial }): KnownMeter => ({ day: dayIn(zone, at), dial }));
  return {
    before: known.findLast((each) => each.day <= day),
    after: known.find((each) => each.day > day),
  };
}
