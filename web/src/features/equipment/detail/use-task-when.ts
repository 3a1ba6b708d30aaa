import { useTranslation } from "react-i18next";
import type { Equipment, ServiceTask } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { unitWord } from "#/domain/equipment-wire";
import { useFormat } from "#/shared/format/use-format";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { taskDue } from "./task-due";
import { snoozedText, snoozeOfTask } from "./snoozed";

/**
 * How far a task is, "208.3 hours until service", with both limits if it has both, the one that
 * decides first; and its projected date, "about Jan 4, 2027", or
 * "Snoozed until Jan 4, 2027". The date is not in the past: a task that is due has its calendar's date
 * or "Due now", and none if it is overdue, which its status says.
 */
export function useTaskWhen(equipment: Equipment, today: string) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const format = useFormat();
  return (task: ServiceTask): { distance: string; date: string } => {
    const { projectedDueDate, nextDueDate, daysUntilDue = 0 } = task;
    const snooze = snoozeOfTask(task, equipment.currentUsage);
    const projectedByCalendar = task.projectedByCalendar && !snooze;
    const due = taskDue(task, equipment);
    const isUseKnown = equipment.usualDailyUse !== undefined;
    const shown = (date: string) => (date === "" ? "" : format.shortDate(date, today));
    const dateText = () => {
      if (snooze) return snoozedText(t, snooze, shown(snooze.untilDate || projectedDueDate));
      // The calendar's date is no forecast while the usage may be reached first.
      if (projectedByCalendar && due && !isUseKnown) return "";
      if (projectedDueDate > today) {
        const date = shown(projectedDueDate);
        return projectedByCalendar ? date : t("equipment-detail.next.about", { date });
      }
      if (projectedByCalendar) return shown(nextDueDate);
      if (!due || due.kind === "until") return shown(projectedDueDate);
      return due.status === "overdue" ? "" : t("service.spans.dueNow");
    };
    const byUsage = due && labels.due(due, unitWord(equipment.unit));
    const date = dateText();
    const isDateShown = date === shown(nextDueDate);
    const byDate =
      nextDueDate === ""
        ? null
        : labels.schedule(daysUntilDue, isDateShown ? undefined : nextDueDate);
    const limits = projectedByCalendar && isUseKnown ? [byDate, byUsage] : [byUsage, byDate];
    return {
      distance: limits.filter(Boolean).join(" · "),
      date,
    };
  };
}
