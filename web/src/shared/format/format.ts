import type { Language } from "#/i18n";

const locales: Record<Language, string> = { en: "en-US", es: "es-US" };

const numberFormats = new Map<string, Intl.NumberFormat>();
const dateFormats = new Map<string, Intl.DateTimeFormat>();

function numberFormat(language: Language, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const id = language + JSON.stringify(options);
  let format = numberFormats.get(id);
  if (!format) numberFormats.set(id, (format = new Intl.NumberFormat(locales[language], options)));
  return format;
}

function dateFormat(language: Language, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const id = language + JSON.stringify(options);
  let format = dateFormats.get(id);
  if (!format) dateFormats.set(id, (format = new Intl.DateTimeFormat(locales[language], options)));
  return format;
}

/** 4812.5 -> "4,812.5"; at most two decimals. */
export function formatNumber(language: Language, value: number, maxDecimals = 2): string {
  return numberFormat(language, { maximumFractionDigits: maxDecimals }).format(value);
}

/** A localized number with its unit; no usage is 0. */
export function formatUsage(
  language: Language,
  value: number | null | undefined,
  unitLabel: string,
): string {
  return `${formatNumber(language, value ?? 0)} ${unitLabel}`.trim();
}

/** Fuel always shows one decimal. */
export function formatFuel(language: Language, value: number, unitLabel: string): string {
  const digits = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
  return `${numberFormat(language, digits).format(value)} ${unitLabel}`.trim();
}

export function formatPercent(language: Language, percent: number): string {
  return numberFormat(language, { style: "percent", maximumFractionDigits: 0 }).format(
    percent / 100,
  );
}

/** A price in cents, whole dollars without decimals: 3200 -> "$32", 2720 -> "$27.20". */
export function formatMoney(language: Language, cents: number): string {
  return dollars(language, cents, cents % 100 === 0 ? 0 : 2);
}

/** An amount with cents, so that columns and totals align. */
export function formatCost(language: Language, cents: number): string {
  return dollars(language, cents, 2);
}

function dollars(language: Language, cents: number, digits: number): string {
  return numberFormat(language, {
    style: "currency",
    currency: "USD",
    currencyDisplay: "narrowSymbol",
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(cents / 100);
}

const day: Intl.DateTimeFormatOptions = { year: "numeric", month: "short", day: "numeric" };

/** An instant as a local date: "Jan 5, 2025", "5 ene 2025". */
export function formatInstantDay(language: Language, instant: string | Date): string {
  return dateFormat(language, day).format(new Date(instant));
}

export function formatInstant(language: Language, instant: string | Date): string {
  return dateFormat(language, { ...day, hour: "numeric", minute: "2-digit" }).format(
    new Date(instant),
  );
}

/** "4:40 PM". */
export function formatTime(language: Language, instant: Date): string {
  return dateFormat(language, { hour: "numeric", minute: "2-digit" }).format(instant);
}

/** "Nov 18", with the year if it is not the current one; `weekday` puts "Tue" before it. */
export function formatShortDay(
  language: Language,
  instant: Date,
  { now, weekday }: { now: Date; weekday: boolean },
): string {
  return dateFormat(language, {
    month: "short",
    day: "numeric",
    ...(weekday ? { weekday: "short" } : {}),
    ...(instant.getFullYear() === now.getFullYear() ? {} : { year: "numeric" }),
  }).format(instant);
}

/** A calendar date ("2025-01-05") has no time zone, so it is formatted in UTC. */
export function formatCalendarDate(language: Language, date: string): string {
  return dateFormat(language, { ...day, timeZone: "UTC" }).format(
    new Date(`${date.slice(0, 10)}T00:00:00Z`),
  );
}

/** "Dec 9", with the year if it is not that of `today`. */
export function formatShortDate(language: Language, date: string, today: string): string {
  return dateFormat(language, {
    month: "short",
    day: "numeric",
    timeZone: "UTC",
    ...(date.slice(0, 4) === today.slice(0, 4) ? {} : { year: "numeric" }),
  }).format(new Date(`${date}T00:00:00Z`));
}

/** "Thu 26"; a calendar date. */
export function formatWeekday(language: Language, date: string): string {
  return dateFormat(language, { weekday: "short", day: "numeric", timeZone: "UTC" }).format(
    new Date(`${date}T00:00:00Z`),
  );
}

/** "December 2026" */
export function formatMonthYear(language: Language, month: string): string {
  return dateFormat(language, { month: "long", year: "numeric", timeZone: "UTC" }).format(
    new Date(`${month}-01T00:00:00Z`),
  );
}

/** "today", "yesterday", "3 days ago", "2 hours ago" */
export function formatAgo(
  language: Language,
  amount: number,
  unit: Intl.RelativeTimeFormatUnit,
): string {
  return new Intl.RelativeTimeFormat(locales[language], { numeric: "auto" }).format(-amount, unit);
}

/** The name of a month ("2025-01") without its year: "Jan", "ene". */
export function formatMonth(language: Language, month: string): string {
  return dateFormat(language, { month: "short", timeZone: "UTC" }).format(
    new Date(`${month}-01T00:00:00Z`),
  );
}
