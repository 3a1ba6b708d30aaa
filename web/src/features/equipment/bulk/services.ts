import { create } from "@bufbuild/protobuf";
import { callUnaryMethod, useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { callKey } from "#/api/call-key";
import {
  EquipmentService,
  ServiceTaskSchema,
  type Equipment,
  type ServiceTask,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { runMany } from "#/shared/run-many";
import { isDue } from "../dialogs/is-due";
import { hasServicePlan } from "../detail/service-plan";

const { listServiceTasks } = EquipmentService.method;

type LoadedTasks = ReadonlyMap<string, readonly ServiceTask[]>;

const nothing: LoadedTasks = new Map();

/** What Mark as Serviced does for a machine. */
export interface Service {
  machine: Equipment;
  /** The tasks that count as done. */
  tasks: readonly ServiceTask[];
  /** Undefined: its tasks could not be loaded. */
  isDue: boolean | undefined;
  /** The ids to send; none for the form's task. Undefined: not known. */
  taskIds: string[] | undefined;
}

/**
 * The tasks of the machines that have more than the form's, as they were first loaded; without those
 * that could not be loaded. Undefined while loading.
 */
export function useLoadedTasks(machines: readonly Equipment[]): LoadedTasks | undefined {
  const transport = useTransport();
  const several = machines.filter(({ moreTasks }) => moreTasks > 0);
  const { data } = useQuery({
    queryKey: callKey(listServiceTasks, { tasksOf: several.map(({ id }) => id) }),
    queryFn: async () => {
      const loaded = new Map<string, readonly ServiceTask[]>();
      await runMany(
        several,
        async ({ id: equipmentId }) => {
          const { tasks } = await callUnaryMethod(transport, listServiceTasks, { equipmentId });
          loaded.set(equipmentId, tasks);
        },
        () => undefined,
      );
      return loaded;
    },
    enabled: several.length > 0,
  });
  // After an attempt, its tasks are no longer due.
  const [first, setFirst] = useState<LoadedTasks | undefined>(
    several.length === 0 ? nothing : data,
  );
  if (!first && data) setFirst(data);
  return first;
}

/** The tasks that are due; without one, the form's. */
export function serviceOf(machine: Equipment, loaded: LoadedTasks | undefined): Service {
  if (machine.moreTasks === 0) {
    const task = formTask(machine);
    const due = isDue(task);
    return { machine, tasks: hasServicePlan(machine) ? [task] : [], isDue: due, taskIds: [] };
  }
  const tasks = loaded?.get(machine.id);
  if (!tasks) return { machine, tasks: [], isDue: undefined, taskIds: undefined };
  const due = tasks.filter(isDue);
  return {
    machine,
    tasks: due.length > 0 ? due : tasks.filter(({ fromForm }) => fromForm),
    isDue: due.length > 0,
    taskIds: due.map(({ id }) => id),
  };
}

/** The form's task of a machine without others. */
function formTask(machine: Equipment): ServiceTask {
  const { usagePercent, nextServiceDueUsage, remainingUsage, daysUntilMaintenance } = machine;
  return create(ServiceTaskSchema, {
    fromForm: true,
    status: machine.serviceStatus,
    usageInterval: machine.serviceInterval,
    ...(usagePercent !== undefined && { usagePercent }),
    ...(nextServiceDueUsage !== undefined && { nextDueUsage: nextServiceDueUsage }),
    ...(remainingUsage !== undefined && { remainingUsage }),
    ...(daysUntilMaintenance !== undefined && { daysUntilDue: daysUntilMaintenance }),
    nextDueDate: machine.nextMaintenanceDate,
  });
}
