import type { Equipment, ServiceTask } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { onDial } from "#/domain/dial";
import { useFormat } from "#/shared/format/use-format";
import { taskPreview } from "../detail/task-preview";
import { valuesOfTask } from "../detail/task-schema";
import { useDialText } from "../meters/use-dial-text";

/** When a task is due next; null: not known, or not by this. */
export interface Due {
  usage: number | null;
  date: string | null;
}

export function dueNow({ nextDueUsage, nextDueDate }: ServiceTask): Due {
  return { usage: nextDueUsage ?? null, date: nextDueDate || null };
}

/** When a task is due if it was last done on that day, at that life-to-date usage. */
export function dueAfter(
  task: ServiceTask,
  { usage, day, today }: { usage: number | undefined; day: string; today: string },
): Due {
  const last = usage === undefined ? "" : String(usage);
  const done = { ...valuesOfTask(task), lastDoneUsage: last, lastDoneOn: day };
  const due = taskPreview(done, null, usage ?? null, today);
  return {
    usage: usage === undefined ? null : (due.usage?.due ?? null),
    date: due.calendar?.due ?? null,
  };
}

/** "5,120 hours · Jan 5, 2025"; with `before`, what differs: "5,120 → 5,180 hours". */
export function useDueText() {
  const format = useFormat();
  const dial = useDialText();
  return (equipment: Equipment, due: Due, before: Due = due): string => {
    const usage = due.usage === null ? "" : dial.due(equipment, due.usage);
    const date = due.date === null ? "" : format.calendarDate(due.date);
    const usageBefore = before.usage === null ? -1 : onDial(equipment, before.usage);
    const parts = [
      // A due point of an earlier meter is not on the scale of this one.
      usage === "" || usageBefore < 0 || before.usage === due.usage
        ? usage
        : `${format.number(usageBefore)} → ${usage}`,
      date === "" || before.date === null || before.date === due.date
        ? date
        : `${format.calendarDate(before.date)} → ${date}`,
    ];
    return parts.filter((part) => part !== "").join(" · ");
  };
}
