import type { ServiceTask } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";

const most = 3;

/** The tasks that are due next, in the order of their projected dates. */
export function nextTasks(tasks: readonly ServiceTask[]): ServiceTask[] {
  return tasks
    .filter((task) => task.projectedDueDate !== "")
    .toSorted((one, other) => one.projectedDueDate.localeCompare(other.projectedDueDate))
    .slice(0, most);
}
