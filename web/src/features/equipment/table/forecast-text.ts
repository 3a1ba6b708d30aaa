import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { daysBetween } from "#/domain/calendar";
import { useFormat } from "#/shared/format/use-format";

/**
 * "in about 9 days, Dec 9"; null without a forecast, when a service is due already, and when a
 * calendar date decides, which is exact.
 */
export function useForecastText(): (equipment: Equipment, today: string) => string | null {
  const { t } = useTranslation();
  const format = useFormat();
  return ({ projectedDueDate: due, projectedDueTask: task, urgentTask }, today) => {
    const days = due === "" ? 0 : daysBetween(today, due);
    if (days <= 0 || !task || task.byCalendar) return null;
    const text = t("equipment.forecast.about", { count: days, date: format.shortDate(due, today) });
    const named = task.name === "" || task.name === urgentTask?.name;
    return named ? text : t("labels.due.task", { name: task.name, text });
  };
}
