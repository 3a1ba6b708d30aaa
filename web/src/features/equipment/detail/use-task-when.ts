import { useTranslation } from "react-i18next";
import type { Equipment, ServiceTask } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { unitWord } from "#/domain/equipment-wire";
import { useFormat } from "#/shared/format/use-format";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { taskDue } from "./next-due";

/** How far a task is, "208.3 hours until service", and its projected date, "about Jan 4, 2027". */
export function useTaskWhen(equipment: Equipment, today: string) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const format = useFormat();
  return (task: ServiceTask): { distance: string; date: string } => {
    const { projectedDueDate, projectedByCalendar, nextDueDate, daysUntilDue = 0 } = task;
    const due = taskDue(task, equipment);
    const day = projectedDueDate === "" ? "" : format.shortDate(projectedDueDate, today);
    const isForecast = !projectedByCalendar && projectedDueDate > today;
    const byUsage = due && labels.due(due, unitWord(equipment.unit));
    const byDate = nextDueDate === "" ? null : labels.schedule(daysUntilDue, nextDueDate);
    return {
      distance: (projectedByCalendar ? (byDate ?? byUsage) : (byUsage ?? byDate)) ?? "",
      date: isForecast ? t("equipment-detail.next.about", { date: day }) : day,
    };
  };
}
