import { fileDay } from "./files";

/** The date a number of days ago in the browsers' time zone, in the format of a date field. */
export function daysAgo(days: number): string {
  const day = new Date(`${fileDay()}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() - days);
  return day.toISOString().slice(0, 10);
}
