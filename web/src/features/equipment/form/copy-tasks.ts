import type { Transport } from "@connectrpc/connect";
import { callUnaryMethod } from "@connectrpc/connect-query";
import { EquipmentService } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { TaskSetMode, TaskSetService } from "#/api/gen/hourmeter/equipment/v1/task_sets_pb";

const { createServiceTask, listServiceTasks } = EquipmentService.method;
const { applyTaskSet, previewTaskSet } = TaskSetService.method;

/** Gives a new machine the service tasks of another one, and its task sets. */
export async function copyTasks(transport: Transport, from: string, to: string): Promise<void> {
  const { tasks } = await callUnaryMethod(transport, listServiceTasks, { equipmentId: from });
  for (const task of tasks.filter(({ fromForm }) => !fromForm)) {
    const { name, usageInterval, calendarInterval, calendarUnit, basis } = task;
    const { warningPercent = 0, warningUsage = 0, warningDays = 0 } = task;
    const warning = { warningPercent, warningUsage, warningDays };
    const copy = { name, usageInterval, calendarInterval, calendarUnit, basis, ...warning };
    // In this order, which the tasks keep.
    await callUnaryMethod(transport, createServiceTask, { equipmentId: to, task: copy });
  }
  const { results } = await callUnaryMethod(transport, previewTaskSet, { equipmentIds: [from] });
  await Promise.all(
    results.map(({ taskSetId }) =>
      callUnaryMethod(transport, applyTaskSet, {
        taskSetId,
        equipmentIds: [to],
        mode: TaskSetMode.UPDATE,
      }),
    ),
  );
}
