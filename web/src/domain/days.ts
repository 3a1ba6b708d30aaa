import * as v from "valibot";
import { readDate } from "./calendar";

/** A range of calendar dates to filter by. */
export interface DayRange {
  from?: string | undefined;
  to?: string | undefined;
}

/** A plausible calendar date; the server refuses distant instants. */
export function isDay(text: string): boolean {
  return text.length === 10 && readDate(text) !== null && text >= firstDay && text <= lastDay;
}

export const firstDay = "2000-01-01";
export const lastDay = "2199-12-30";

/** A day in a URL; an invalid one is dropped. */
export const dayInUrl = v.fallback(v.optional(v.pipe(v.string(), v.check(isDay))), undefined);

/** Whether the days are reversed. */
export function isWrongOrder({ from, to }: DayRange): boolean {
  return from !== undefined && to !== undefined && from > to;
}
