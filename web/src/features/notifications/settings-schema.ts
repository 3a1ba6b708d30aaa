import * as v from "valibot";
import type { Settings } from "#/api/gen/hourmeter/notifications/v1/settings_pb";
import { minuteOfTime, timeOfMinute } from "#/domain/minute-of-day";
import { key } from "#/i18n/key";

const required = key("errors.requiredFields");

export const settingsSchema = v.pipe(
  v.object({
    flaggedMail: v.boolean(),
    flaggedPush: v.boolean(),
    returnedPush: v.boolean(),
    statusPush: v.boolean(),
    quiet: v.boolean(),
    from: v.string(),
    until: v.string(),
  }),
  v.forward(
    v.partialCheck([["quiet"], ["from"]], ({ quiet, from }) => !quiet || from !== "", required),
    ["from"],
  ),
  v.forward(
    v.partialCheck([["quiet"], ["until"]], ({ quiet, until }) => !quiet || until !== "", required),
    ["until"],
  ),
  v.forward(
    v.partialCheck(
      [["quiet"], ["from"], ["until"]],
      ({ quiet, from, until }) => !quiet || from !== until,
      key("notifications.settings.equal"),
    ),
    ["until"],
  ),
);

export type SettingsValues = v.InferOutput<typeof settingsSchema>;

const usualHours = { start: 21 * 60, end: 6 * 60 };

export function settingsValues(settings: Settings): SettingsValues {
  const { flaggedMail, flaggedPush, returnedPush, statusPush = false, quietHours } = settings;
  const { start, end } = quietHours ?? usualHours;
  return {
    flaggedMail,
    flaggedPush,
    returnedPush,
    statusPush,
    quiet: quietHours !== undefined,
    from: timeOfMinute(start),
    until: timeOfMinute(end),
  };
}

export function settingsOf({ quiet, from, until, ...choices }: SettingsValues) {
  const quietHours = { start: minuteOfTime(from), end: minuteOfTime(until) };
  return { ...choices, ...(quiet && { quietHours }) };
}
