import type { Transport } from "@connectrpc/connect";
import { callUnaryMethod } from "@connectrpc/connect-query";
import { EquipmentService, type ServiceTask } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { isDue } from "./is-due";

/** The tasks of a machine that are due. */
export async function dueTasks(transport: Transport, equipmentId: string): Promise<ServiceTask[]> {
  const { listServiceTasks } = EquipmentService.method;
  const { tasks } = await callUnaryMethod(transport, listServiceTasks, { equipmentId });
  return tasks.filter(isDue);
}
