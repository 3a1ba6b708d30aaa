import { dayIn } from "#/domain/calendar";

/** The local date for file names: "2025-01-05". */
export function fileDate(day: Date): string {
  const two = (part: number) => String(part).padStart(2, "0");
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}

/** "2025-01-05 08:15" in a time zone: spreadsheets in every language parse and sort it. */
export function dayAndTime(timeZone: string, instant: Date): string {
  const time = new Intl.DateTimeFormat("en-GB", { timeZone, timeStyle: "short" }).format(instant);
  return `${dayIn(timeZone, instant)} ${time}`;
}
