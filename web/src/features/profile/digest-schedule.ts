import * as v from "valibot";
import type { DigestSchedule } from "#/api/gen/hourmeter/notifications/v1/digest_pb";
import { minuteOfTime, timeOfMinute } from "#/domain/minute-of-day";
import { key } from "#/i18n/key";

/** ISO weekdays, from Monday. */
export const weekdays = [1, 2, 3, 4, 5, 6, 7] as const;

export const digestSchema = v.object({
  time: v.pipe(v.string(), v.nonEmpty(key("errors.requiredFields"))),
  /** Whether each of `weekdays` is chosen. */
  days: v.array(v.boolean()),
});

export type DigestValues = v.InferOutput<typeof digestSchema>;

export function digestValues(schedule: DigestSchedule): DigestValues {
  return {
    time: timeOfMinute(schedule.minute),
    days: weekdays.map((day) => schedule.weekdays.includes(day)),
  };
}

export function scheduleOf({ time, days }: DigestValues) {
  return { minute: minuteOfTime(time), weekdays: weekdays.filter((_, index) => days[index]) };
}
