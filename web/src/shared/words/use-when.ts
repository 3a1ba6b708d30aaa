import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { daysBetween } from "#/domain/days-between";
import { useFormat } from "#/shared/format/use-format";

export function useWhen() {
  const { t } = useTranslation();
  const format = useFormat();
  return useMemo(
    () => ({
      /** "today 7:10 AM", "yesterday 4:40 PM", "Nov 18, 4:40 PM". */
      at(instant: Date, now = new Date()): string {
        const time = format.time(instant);
        switch (daysBetween(instant, now)) {
          case 0:
            return t("operator.when.todayAt", { time });
          case 1:
            return t("operator.when.yesterdayAt", { time });
          default:
            return t("operator.when.dayAt", {
              day: format.shortDay(instant, { now, weekday: false }),
              time,
            });
        }
      },
      /** "since 7:10 AM", "since yesterday", "since Nov 18". */
      since(instant: Date, now = new Date()): string {
        switch (daysBetween(instant, now)) {
          case 0:
            return t("operator.when.sinceTime", { time: format.time(instant) });
          case 1:
            return t("operator.when.sinceYesterday");
          default:
            return t("operator.when.sinceDay", {
              day: format.shortDay(instant, { now, weekday: false }),
            });
        }
      },
      /** A heading: "Today", "Yesterday", "Tue, Nov 18". */
      day(instant: Date, now = new Date()): string {
        switch (daysBetween(instant, now)) {
          case 0:
            return t("operator.when.today");
          case 1:
            return t("operator.when.yesterday");
          default:
            return format.shortDay(instant, { now, weekday: true });
        }
      },
    }),
    [t, format],
  );
}
