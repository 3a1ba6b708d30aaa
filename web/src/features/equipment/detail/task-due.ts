import type { ServiceTask } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { Metered } from "#/domain/dial";
import { serviceDue, type ServiceDue } from "#/domain/service-due";

export function taskDue(task: ServiceTask, equipment: Metered): ServiceDue | null {
  return serviceDue({
    currentUsage: equipment.currentUsage,
    meterReading: equipment.meterReading,
    serviceInterval: task.usageInterval,
    ...(task.usagePercent === undefined ? {} : { usagePercent: task.usagePercent }),
    ...(task.nextDueUsage === undefined ? {} : { nextServiceDueUsage: task.nextDueUsage }),
    ...(task.remainingUsage === undefined ? {} : { remainingUsage: task.remainingUsage }),
  });
}
