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
    flaggedSms: v.boolean(),
    returnedSms: v.boolean(),
    statusSms: v.boolean(),
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
  const { flaggedSms = false, returnedSms = false, statusSms = false } = settings;
  const { start, end } = quietHours ?? usualHours;
  return {
    flaggedMail,
    flaggedPush,
    returnedPush,
    statusPush,
    flaggedSms,
    returnedSms,
    statusSms,
    quiet: quietHours !== undefined,
    from: timeOfMinute(start),
    until: timeOfMinute(end),
  };
}

/** What is about text messages stays as it is where none are sent. */
export function settingsOf(values: SettingsValues, hasSms: boolean) {
  const { quiet, from, until, flaggedSms, returnedSms, statusSms, ...choices } = values;
  const quietHours = { start: minuteOfTime(from), end: minuteOfTime(until) };
  return {
    ...choices,
    ...(hasSms && { flaggedSms, returnedSms, statusSms }),
    ...(quiet && { quietHours }),
  };
}
