import type { Equipment, ServiceTask } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";

const most = 3;

type Machine = Pick<Equipment, "urgentTask">;

/** The tasks that are due next, by date or by usage. */
export function nextTasks(tasks: readonly ServiceTask[], equipment: Machine): ServiceTask[] {
  const due = tasks.filter(
    (task) => task.projectedDueDate !== "" || task.remainingUsage !== undefined,
  );
  return orderTasks(due, equipment).slice(0, most);
}

/** The one that the machine's header names; then by status, the most severe first; date; usage left. */
export function orderTasks(tasks: readonly ServiceTask[], { urgentTask }: Machine): ServiceTask[] {
  const isNext = ({ id, fromForm }: ServiceTask) => (urgentTask ? id === urgentTask.id : fromForm);
  const left = ({ remainingUsage }: ServiceTask) => remainingUsage ?? Number.MAX_VALUE;
  return tasks.toSorted(
    (one, other) =>
      Number(isNext(other)) - Number(isNext(one)) ||
      other.status - one.status ||
      orderDate(one).localeCompare(orderDate(other)) ||
      left(one) - left(other),
  );
}

/** The date to sort tasks by; those without one are last. */
export function orderDate(task: ServiceTask): string {
  return task.orderDate || "9999";
}
