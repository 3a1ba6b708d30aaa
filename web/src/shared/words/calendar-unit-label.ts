import type { TFunction } from "i18next";
import type { CalendarUnit } from "#/domain/calendar";

export function calendarUnitLabel(t: TFunction, unit: CalendarUnit): string {
  switch (unit) {
    case "days":
      return t("labels.calendarUnits.days");
    case "months":
      return t("labels.calendarUnits.months");
    case "years":
      return t("labels.calendarUnits.years");
  }
}
