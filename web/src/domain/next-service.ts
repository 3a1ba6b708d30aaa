import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";

/**
 * Life-to-date usage at which the regular service is due; without a last service it counts from 0.
 */
export function nextServiceAt(
  equipment: Pick<Equipment, "nextServiceDueUsage" | "serviceInterval">,
): number | undefined {
  const { nextServiceDueUsage, serviceInterval } = equipment;
  return nextServiceDueUsage ?? (serviceInterval > 0 ? serviceInterval : undefined);
}
