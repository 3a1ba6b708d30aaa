import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { daysBetween } from "#/domain/calendar";
import { useFormat } from "#/shared/format/use-format";
import { isProjected } from "../detail/next-due";
import { snoozedText, snoozeOf } from "../detail/snoozed";

/**
 * "in about 9 days, Dec 9", or "Snoozed until Dec 9"; null without a forecast, when a service is due
 * already, and when a calendar date decides, which is exact.
 */
export function useForecastText(): (equipment: Equipment, today: string) => string | null {
  const { t } = useTranslation();
  const format = useFormat();
  return (equipment, today) => {
    const { projectedDueDate: due, projectedDueTask: task } = equipment;
    const snooze = snoozeOf(equipment);
    const days = due === "" ? 0 : daysBetween(today, due);
    if (days <= 0 || !task || (task.byCalendar && !snooze)) return null;
    const date = format.shortDate(due, today);
    const text = snooze
      ? snoozedText(t, snooze, date)
      : t("equipment.forecast.about", { count: days, date });
    if (isProjected(equipment)) return text;
    return t("labels.due.task", { name: task.name || t("equipment-detail.tasks.regular"), text });
  };
}
