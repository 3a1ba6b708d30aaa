import { ServiceStatus, type ServiceTask } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";

export function isDue({ status }: Pick<ServiceTask, "status">): boolean {
  return status === ServiceStatus.TIME_FOR_SERVICE || status === ServiceStatus.OVERDUE;
}
