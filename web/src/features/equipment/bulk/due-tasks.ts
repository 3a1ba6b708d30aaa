import type { Transport } from "@connectrpc/connect";
import { callUnaryMethod } from "@connectrpc/connect-query";
import { EquipmentService, ServiceStatus } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";

const due = new Set<ServiceStatus>([ServiceStatus.TIME_FOR_SERVICE, ServiceStatus.OVERDUE]);

/** Ids of the tasks of a machine that are due. */
export async function dueTasks(transport: Transport, equipmentId: string): Promise<string[]> {
  const request = { equipmentId };
  const { tasks } = await callUnaryMethod(
    transport,
    EquipmentService.method.listServiceTasks,
    request,
  );
  return tasks.filter(({ status }) => due.has(status)).map(({ id }) => id);
}
