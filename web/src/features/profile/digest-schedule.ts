import * as v from "valibot";
import type { DigestSchedule } from "#/api/gen/hourmeter/notifications/v1/digest_pb";
import { key } from "#/i18n/key";

/** ISO weekdays, from Monday. */
export const weekdays = [1, 2, 3, 4, 5, 6, 7] as const;

export const digestSchema = v.object({
  time: v.pipe(v.string(), v.nonEmpty(key("errors.requiredFields"))),
  /** Whether each of `weekdays` is chosen. */
  days: v.array(v.boolean()),
});

export type DigestValues = v.InferOutput<typeof digestSchema>;

const twoDigits = (value: number) => String(value).padStart(2, "0");

export function digestValues(schedule: DigestSchedule): DigestValues {
  const { minute } = schedule;
  return {
    time: `${twoDigits(Math.floor(minute / 60))}:${twoDigits(minute % 60)}`,
    days: weekdays.map((day) => schedule.weekdays.includes(day)),
  };
}

export function scheduleOf({ time, days }: DigestValues) {
  const [hours = 0, minutes = 0] = time.split(":").map(Number);
  return { minute: hours * 60 + minutes, weekdays: weekdays.filter((_, index) => days[index]) };
}
