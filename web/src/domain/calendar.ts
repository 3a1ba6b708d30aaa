// Calendar dates are "YYYY-MM-DD" without a time zone. The equipment service has the same rules;
// both are tested against proto/testdata/calendar.json.

export const calendarUnits = ["days", "months", "years"] as const;
export type CalendarUnit = (typeof calendarUnits)[number];

const firstDate = "1900-01-01";
const lastDate = "2200-12-31";

const dayMs = 86_400_000;
const timePart = /^T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?$/;

/** Parses a date, or the first ten characters of a date-time; null if it is invalid. */
export function readDate(text: string): string | null {
  const date = text.slice(0, 10);
  const rest = text.slice(10);
  if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}$/.test(date)) return null;
  if (rest !== "" && !timePart.test(rest)) return null;
  const instant = new Date(`${date}T00:00:00Z`);
  // Date accepts April 31 and returns May 1.
  if (Number.isNaN(instant.getTime()) || toDate(instant) !== date) return null;
  return date < firstDate || date > lastDate ? null : date;
}

/** Start plus interval, clamped to the month's end; null after the last valid date. */
export function nextDate(start: string, interval: number, unit: CalendarUnit): string | null {
  const next =
    unit === "days" ? addDays(start, interval) : addMonths(start, months(interval, unit));
  return next !== null && next <= lastDate ? next : null;
}

/** Whole days from one calendar date to another. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(`${to}T00:00:00Z`) - Date.parse(`${from}T00:00:00Z`)) / dayMs);
}

/** The calendar day of an instant in a time zone; an unknown zone counts as UTC. */
export function dayIn(timeZone: string, instant: Date): string {
  try {
    return partsOf(timeZone, instant);
  } catch {
    return toDate(instant);
  }
}

function partsOf(timeZone: string, instant: Date): string {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  }).formatToParts(instant);
  const part = (type: Intl.DateTimeFormatPartTypes) =>
    parts.find((candidate) => candidate.type === type)?.value ?? "";
  return `${part("year").padStart(4, "0")}-${part("month")}-${part("day")}`;
}

function months(interval: number, unit: "months" | "years"): number {
  return unit === "years" ? interval * 12 : interval;
}

function addDays(start: string, days: number): string | null {
  const instant = new Date(Date.parse(`${start}T00:00:00Z`) + days * dayMs);
  return withinFourDigits(instant) ? toDate(instant) : null;
}

function addMonths(start: string, count: number): string | null {
  const [year = 0, month = 1, day = 1] = start.split("-").map(Number);
  const monthEnd = new Date(Date.UTC(year, month + count, 0));
  if (!withinFourDigits(monthEnd)) return null;
  monthEnd.setUTCDate(Math.min(day, monthEnd.getUTCDate()));
  return toDate(monthEnd);
}

function withinFourDigits(instant: Date): boolean {
  return !Number.isNaN(instant.getTime()) && instant.getUTCFullYear() <= 9999;
}

function toDate(instant: Date): string {
  return instant.toISOString().slice(0, 10);
}
