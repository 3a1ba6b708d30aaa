import { firstDay } from "#/domain/days";
import type { FuelRange } from "./range-search";

/** First and last day, inclusive; empty: open on that side. Both empty: since the last reset. */
export interface FuelDays {
  from: string;
  to: string;
}

export const sinceReset: FuelDays = { from: "", to: "" };

/** The days of a range; null while custom dates are missing or reversed. */
export function daysOf(range: FuelRange, today: string): FuelDays | null {
  switch (range.fuel) {
    case undefined:
      return sinceReset;
    case "30-days":
      return { from: dayBefore(today, 29), to: today };
    case "year":
      return { from: `${today.slice(0, 4)}-01-01`, to: today };
    case "12-months":
      return { from: monthBefore(today, 11), to: today };
    case "custom":
      return own(range.fuelFrom ?? "", range.fuelTo ?? "");
  }
}

/**
 * The days that a range is compared with: the same days a year earlier for a year, and otherwise as
 * many days right before it. Null for an open range.
 */
export function daysBeforeRange(range: FuelRange, today: string): FuelDays | null {
  const days = daysOf(range, today);
  if (!days || days.from === "" || days.to === "") return null;
  const { from, to } = days;
  const before =
    range.fuel === "year" || range.fuel === "12-months"
      ? { from: yearBefore(from), to: yearBefore(to) }
      : { from: dayBefore(from, length(days)), to: dayBefore(from, 1) };
  return before.from < firstDay ? null : before;
}

const dayMs = 86_400_000;

const length = ({ from, to }: FuelDays): number => (Date.parse(to) - Date.parse(from)) / dayMs + 1;

/** February 29 becomes February 28. */
function yearBefore(day: string): string {
  const [year = 1970, month = 1, date = 1] = day.split("-").map(Number);
  const lastOfMonth = new Date(Date.UTC(year - 1, month, 0)).getUTCDate();
  const instant = Date.UTC(year - 1, month - 1, Math.min(date, lastOfMonth));
  return new Date(instant).toISOString().slice(0, 10);
}

function own(from: string, to: string): FuelDays | null {
  if (from === "" && to === "") return null;
  return from !== "" && to !== "" && from > to ? null : { from, to };
}

export function isWithin({ from, to }: FuelDays, day: string): boolean {
  return (from === "" || day >= from) && (to === "" || day <= to);
}

function dayBefore(day: string, days: number): string {
  const instant = new Date(`${day}T00:00:00Z`);
  instant.setUTCDate(instant.getUTCDate() - days);
  return instant.toISOString().slice(0, 10);
}

/** The first day of the month `months` back, so that twelve months are twelve whole bars. */
function monthBefore(day: string, months: number): string {
  const [year = 1970, month = 1] = day.split("-").map(Number);
  return new Date(Date.UTC(year, month - 1 - months, 1)).toISOString().slice(0, 10);
}
