/** The format of the date-time input, in local time: "2026-11-20T16:10". */
export function momentText(date: Date): string {
  const local = new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 16);
}

/** Parses "2026-11-20T16:10" as local time; null if it is invalid. */
export function readMoment(text: string): Date | null {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? null : date;
}
