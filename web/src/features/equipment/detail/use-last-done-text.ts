import type { Equipment, ServiceTask } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { useFormat } from "#/shared/format/use-format";
import { useDialText } from "../meters/use-dial-text";

/** "4,780 hours · Jun 1, 2026"; empty if neither is known. */
export function useLastDoneText(): (equipment: Equipment, task: ServiceTask) => string {
  const format = useFormat();
  const dial = useDialText();
  return (equipment, task) =>
    [
      task.usageInterval > 0 && task.lastDoneUsage !== undefined
        ? dial.life(equipment, task.lastDoneUsage)
        : "",
      task.lastDoneOn === "" ? "" : format.calendarDate(task.lastDoneOn),
    ]
      .filter((part) => part !== "")
      .join(" · ");
}
