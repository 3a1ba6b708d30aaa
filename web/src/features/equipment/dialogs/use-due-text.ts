import type { Equipment, ServiceTask } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { unitWord } from "#/domain/equipment-wire";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { taskDue } from "../detail/task-due";

/** How a task is due, by usage and by date; empty if neither is known. */
export function useDueText(equipment: Equipment): (task: ServiceTask) => string {
  const labels = useEquipmentLabels();
  const unit = unitWord(equipment.unit);
  return (task) => {
    const due = taskDue(task, equipment);
    const byUsage = due ? labels.due(due, unit) : "";
    const byDate =
      task.daysUntilDue === undefined ? "" : labels.schedule(task.daysUntilDue, task.nextDueDate);
    return [byUsage, byDate].filter((part) => part !== "").join(" · ");
  };
}
