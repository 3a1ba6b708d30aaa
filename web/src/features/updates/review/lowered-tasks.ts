import {
  TaskBasis,
  type Equipment,
  type ServiceTask,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { lifeToDate, onDial } from "#/domain/dial";
import { usageFigures } from "#/domain/service-rules";

/**
 * What setting the meter back to `reading` makes of the tasks with a usage interval: the equipment
 * service lowers a last service above the meter to it. Figures are on the dial.
 */
export function loweredTasks(
  equipment: Pick<Equipment, "currentUsage" | "meterReading">,
  tasks: readonly ServiceTask[],
  reading: number,
) {
  const usage = lifeToDate(equipment, reading);
  const byUsage = tasks.filter(({ usageInterval }) => usageInterval > 0);
  const lowered = byUsage.flatMap((task) => {
    const last = task.lastDoneUsage;
    if (last === undefined || last <= usage) return [];
    const due = dueAfter(task, usage);
    return [{ task, last: onDial(equipment, last), due: onDial(equipment, due ?? usage) }];
  });
  return { lowered, others: byUsage.length - lowered.length };
}

function dueAfter(task: ServiceTask, last: number): number | null {
  const rule = {
    basis: task.basis === TaskBasis.ON_THE_MARK ? ("on_the_mark" as const) : ("last_done" as const),
    interval: task.usageInterval,
    first: task.firstDueUsage ?? null,
    last,
    warningPercent: null,
    warningUsage: null,
  };
  return usageFigures(rule, last).due;
}
