import { fileDay } from "./files";

/** A day before today by the clock of the browsers that `open` gives, as a date field takes it. */
export function daysAgo(days: number): string {
  const day = new Date(`${fileDay()}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() - days);
  return day.toISOString().slice(0, 10);
}
