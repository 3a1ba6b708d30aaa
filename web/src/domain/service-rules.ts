// When a service task is due. The equipment service has the same rules; both are tested against
// proto/testdata/service-rules.json. This serves the preview of the task dialog.

import { daysBetween, nextDate, type CalendarUnit } from "./calendar";
import type { ServiceStatus } from "./service-status";

export const taskBases = ["last_done", "on_the_mark"] as const;
export type TaskBasis = (typeof taskBases)[number];

export interface UsageRule {
  basis: TaskBasis;
  /** Above 0. */
  interval: number;
  /** First due point; null: none was given. */
  first: number | null;
  /** Usage at the last service; null: not known. */
  last: number | null;
  warningPercent: number | null;
  warningUsage: number | null;
}

export interface CalendarRule {
  basis: TaskBasis;
  /** The day of the last service, or the first day of the schedule. */
  start: string;
  /** 1 or more. */
  interval: number;
  unit: CalendarUnit;
  /** First due date; null: none was given. */
  first: string | null;
  warningDays: number | null;
}

type Grid = Pick<CalendarRule, "interval" | "unit">;

export interface DueFigures<Point> {
  due: Point | null;
  status: ServiceStatus;
  missedRounds: number;
}

/** Calculated in hundredths, so that floating-point errors don't cross a boundary. */
export function usageFigures(rule: UsageRule, currentUsage: number): DueFigures<number> {
  const interval = hundredths(rule.interval);
  const usage = hundredths(currentUsage);
  const due = dueUsage(rule, interval);
  const point = due ?? interval;
  const left = point - usage;
  return {
    due: due === null ? null : due / 100,
    status:
      left <= -Math.ceil(interval / 10)
        ? "overdue"
        : left <= 0
          ? "time_for_service"
          : left <= warning(rule, interval)
            ? "approaching_service"
            : "good",
    missedRounds: Math.max(0, Math.floor(-left / interval)),
  };
}

function warning(rule: UsageRule, interval: number): number {
  return rule.warningUsage === null
    ? Math.floor((interval * (rule.warningPercent ?? 20)) / 100)
    : hundredths(rule.warningUsage);
}

function dueUsage(rule: UsageRule, interval: number): number | null {
  const last = rule.last === null ? null : hundredths(rule.last);
  const given = rule.first === null ? null : hundredths(rule.first);
  if (given === null && rule.basis === "last_done") return last === null ? null : last + interval;
  const first = given ?? interval;
  if (last === null) return first;
  // A service counts for a point from half an interval before it.
  const rounds = Math.max(0, Math.floor((2 * (last - first) + interval) / (2 * interval)) + 1);
  return rule.basis === "last_done" && rounds > 0 ? last + interval : first + rounds * interval;
}

/** Null: the date would be too late. */
export function calendarFigures(rule: CalendarRule, today: string): DueFigures<string> | null {
  const due = dueDate(rule);
  if (due === null) return null;
  const days = daysBetween(today, due);
  const onFirst = rule.basis === "on_the_mark" || rule.first === due;
  const from = (onFirst ? rule.first : null) ?? rule.start;
  return {
    due,
    status:
      days < 0
        ? "overdue"
        : days <= 1
          ? "time_for_service"
          : days <= (rule.warningDays ?? 7)
            ? "approaching_service"
            : "good",
    missedRounds: Math.max(0, reached(rule, from, today) - reached(rule, from, due)),
  };
}

function dueDate(rule: CalendarRule): string | null {
  const { first, start } = rule;
  const fromStart = nextDate(start, rule.interval, rule.unit);
  if (first === null) return fromStart;
  if (rule.basis === "last_done") return countsFor(rule, first, 0) ? fromStart : first;
  let nth = reached(rule, first, start);
  while (countsFor(rule, first, nth)) nth += 1;
  return pointOf(rule, first, nth);
}

/** The dates from the first one, each clamped to the month's end. */
function pointOf(rule: Grid, first: string, nth: number): string | null {
  return nextDate(first, rule.interval * nth, rule.unit);
}

/** The latest due date up to a day of a schedule on the mark; null: none yet. */
export function lastPoint(rule: Grid, first: string, day: string): string | null {
  const nth = reached(rule, first, day);
  return nth > 0 ? pointOf(rule, first, nth - 1) : null;
}

/** Number of dates up to a day. */
function reached(rule: Grid, first: string, day: string): number {
  const days = daysBetween(first, day);
  if (days < 0) return 0;
  const longest = { days: 1, months: 31, years: 366 }[rule.unit];
  let nth = Math.floor(days / (longest * rule.interval)) + 1;
  for (;;) {
    const date = pointOf(rule, first, nth);
    if (date === null || date > day) return nth;
    nth += 1;
  }
}

/** Whether a service on the start counts for a date: from half an interval before it. */
function countsFor(rule: CalendarRule, first: string, nth: number): boolean {
  const date = pointOf(rule, first, nth);
  const before = pointOf(rule, first, nth - 1);
  if (date === null || before === null) return false;
  return 2 * daysBetween(rule.start, date) <= daysBetween(before, date);
}

function hundredths(quantity: number): number {
  return Math.round(quantity * 100);
}
