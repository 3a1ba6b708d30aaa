import * as v from "valibot";
import { readDate } from "#/domain/calendar";
import { key } from "#/i18n/key";

export const longestReason = 500;

export const snoozeReason = v.pipe(
  v.string(),
  v.check((text) => text.trim() !== "", key("equipment-detail.void.reasonRequired")),
  v.check((text) => text.trim().length <= longestReason, key("equipment-detail.void.reasonLong")),
);

export const isAfter = (today: string, date: string): boolean =>
  readDate(date) !== null && date > today;
