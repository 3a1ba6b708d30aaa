import { daysBetween, nextDate } from "#/domain/calendar";
import { compareNames } from "#/domain/names";
import type { ServiceStatus } from "#/domain/service-status";

/** When a service is or is projected to be due. */
export const spans = [
  "overdue",
  "dueNow",
  "soon",
  "thisWeek",
  "nextWeek",
  "thisMonth",
  "later",
  "none",
] as const;
export type Span = (typeof spans)[number];

interface Projected {
  status: ServiceStatus;
  /** Empty: no forecast. */
  date: string;
}

export function spanOf({ status, date }: Projected, today: string): Span {
  if (status === "overdue") return "overdue";
  if (status === "time_for_service") return "dueNow";
  if (date === "") return status === "approaching_service" ? "soon" : "none";
  const saturday = 6 - weekdayOf(today);
  const days = daysBetween(today, date);
  if (days <= saturday) return "thisWeek";
  if (days <= saturday + 7) return "nextWeek";
  return date.slice(0, 7) === today.slice(0, 7) ? "thisMonth" : "later";
}

/** 0: Sunday, on which weeks begin in the United States and in Mexico. */
export function weekdayOf(date: string): number {
  return new Date(`${date}T00:00:00Z`).getUTCDay();
}

export function daysOf(month: string): string[] {
  const days: string[] = [];
  for (let day = `${month}-01`; day.startsWith(month); day = nextDate(day, 1, "days") ?? "") {
    days.push(day);
  }
  return days;
}

/** The month before or after. */
export function monthAway(month: string, by: 1 | -1): string {
  const [year = 0, number = 1] = month.split("-").map(Number);
  return new Date(Date.UTC(year, number - 1 + by, 1)).toISOString().slice(0, 7);
}

/** Groups rows by a key, in the order of the first row of each. */
export function grouped<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): Array<[string, Row[]]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const key = keyOf(row);
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups];
}

/** In natural order; the group without a name is last. */
export function byName<Row>(groups: ReadonlyArray<[string, Row[]]>): Array<[string, Row[]]> {
  return groups.toSorted(
    ([one], [other]) => Number(one === "") - Number(other === "") || compareNames(one, other),
  );
}
