import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";

/** Whether there is an interval or a schedule that Mark as Serviced restarts. */
export function hasServicePlan(equipment: Equipment): boolean {
  return equipment.serviceInterval > 0 || equipment.hasScheduledMaintenance;
}
