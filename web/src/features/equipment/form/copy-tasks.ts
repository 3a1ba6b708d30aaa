import type { Transport } from "@connectrpc/connect";
import { callUnaryMethod } from "@connectrpc/connect-query";
import {
  EquipmentService,
  TaskBasis,
  type Equipment,
  type ServiceTask,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { TaskSetMode, TaskSetService } from "#/api/gen/hourmeter/equipment/v1/task_sets_pb";
import { calendarUnitWord } from "#/domain/equipment-wire";
import { lastPoint } from "#/domain/service-rules";
import { isUsualRule, valuesOfRule } from "../rules/rule-schema";

const { createServiceTask, listServiceTasks, updateServiceTask } = EquipmentService.method;
const { applyTaskSet, previewTaskSet } = TaskSetService.method;

/** Gives a new machine the service tasks of another one, and its task sets. */
export async function copyTasks(
  transport: Transport,
  from: string,
  made: Equipment,
  today: string,
): Promise<void> {
  const to = made.id;
  const { tasks } = await callUnaryMethod(transport, listServiceTasks, {
    equipmentId: from,
  });
  for (const task of tasks.filter(({ fromForm }) => !fromForm)) {
    const { name, usageInterval, calendarInterval, calendarUnit } = task;
    const intervals = { usageInterval, calendarInterval, calendarUnit };
    const points = task.basis === TaskBasis.ON_THE_MARK ? pointsOf(task, made, today) : {};
    const copy = { name, ...intervals, ...ruleOf(task), ...points };
    // In this order, which the tasks keep.
    await callUnaryMethod(transport, createServiceTask, {
      equipmentId: to,
      task: copy,
    });
  }
  const { results } = await callUnaryMethod(transport, previewTaskSet, {
    equipmentIds: [from],
  });
  await Promise.all(
    results.map(({ taskSetId }) =>
      callUnaryMethod(transport, applyTaskSet, {
        taskSetId,
        equipmentIds: [to],
        mode: TaskSetMode.UPDATE,
      }),
    ),
  );
  const regular = tasks.find(({ fromForm }) => fromForm);
  if (regular && !isUsualRule(valuesOfRule(regular))) {
    await copyRegularRule(transport, regular, made, today);
  }
}

/** Gives the new machine's regular service, which the form made, the rule of the other one's. */
async function copyRegularRule(
  transport: Transport,
  task: ServiceTask,
  made: Equipment,
  today: string,
): Promise<void> {
  const equipmentId = made.id;
  const { tasks } = await callUnaryMethod(transport, listServiceTasks, {
    equipmentId,
  });
  const taskId = tasks.find(({ fromForm }) => fromForm)?.id;
  if (taskId === undefined) return;
  const points = task.basis === TaskBasis.ON_THE_MARK ? pointsOf(task, made, today) : {};
  // The schedule's first day is in the form.
  const rule = { ...ruleOf(task), ...points, lastDoneOn: "" };
  await callUnaryMethod(transport, updateServiceTask, {
    equipmentId,
    taskId,
    task: rule,
  });
}

function ruleOf(task: ServiceTask) {
  const { basis, warningPercent = 0, warningUsage = 0, warningDays = 0 } = task;
  return { basis, warningPercent, warningUsage, warningDays };
}

/** The fixed points of a task, of which the new machine has missed none. */
function pointsOf(task: ServiceTask, made: Equipment, today: string) {
  const { firstDueUsage, usageInterval, firstDueDate, calendarInterval } = task;
  const isRead = made.meterReadAt !== undefined;
  const grid = {
    interval: calendarInterval,
    unit: calendarUnitWord(task.calendarUnit),
  };
  const done = firstDueDate && lastPoint(grid, firstDueDate, today);
  return {
    ...(firstDueUsage !== undefined && usageInterval > 0 && isRead
      ? {
          firstDueUsage: nextPoint(firstDueUsage, usageInterval, made.currentUsage),
        }
      : {}),
    ...(firstDueDate ? { firstDueDate } : {}),
    ...(done ? { lastDoneOn: done } : {}),
  };
}

/** The lowest point above a usage, calculated in hundredths. */
function nextPoint(point: number, interval: number, usage: number): number {
  const step = hundredths(interval);
  const passed = Math.floor((hundredths(usage) - hundredths(point)) / step);
  return (hundredths(point) + (passed + 1) * step) / 100;
}

function hundredths(quantity: number): number {
  return Math.round(quantity * 100);
}
