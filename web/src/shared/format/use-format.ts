import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { isLanguage, type Language } from "#/i18n";
import * as format from "./format";

/** The formatters in the reader's language. */
export function useFormat() {
  const { i18n } = useTranslation();
  const language: Language = isLanguage(i18n.resolvedLanguage) ? i18n.resolvedLanguage : "en";
  return useMemo(
    () => ({
      number: (value: number, maxDecimals?: number) =>
        format.formatNumber(language, value, maxDecimals),
      usage: (value: number | null | undefined, unitLabel: string) =>
        format.formatUsage(language, value, unitLabel),
      fuel: (value: number, unitLabel: string) => format.formatFuel(language, value, unitLabel),
      percent: (value: number) => format.formatPercent(language, value),
      money: (cents: number) => format.formatMoney(language, cents),
      cost: (cents: number) => format.formatCost(language, cents),
      instantDay: (instant: string | Date) => format.formatInstantDay(language, instant),
      instant: (instant: string | Date) => format.formatInstant(language, instant),
      time: (instant: Date) => format.formatTime(language, instant),
      shortDay: (instant: Date, options: { now: Date; weekday: boolean }) =>
        format.formatShortDay(language, instant, options),
      month: (month: string) => format.formatMonth(language, month),
      shortDate: (date: string, today: string) => format.formatShortDate(language, date, today),
      weekday: (date: string) => format.formatWeekday(language, date),
      monthYear: (month: string) => format.formatMonthYear(language, month),
      ago: (amount: number, unit: Intl.RelativeTimeFormatUnit) =>
        format.formatAgo(language, amount, unit),
      calendarDate: (date: string) => format.formatCalendarDate(language, date),
    }),
    [language],
  );
}
