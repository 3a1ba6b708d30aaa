import { equipmentFilterSchema, type EquipmentFilter } from "#/domain/equipment-filter";

/** Whether two addresses of the list have the same filter, order and columns. */
export function isSameView(one: EquipmentFilter, other: EquipmentFilter): boolean {
  return text(one) === text(other);
}

function text(filter: EquipmentFilter): string {
  return JSON.stringify(filter, Object.keys(equipmentFilterSchema.entries));
}
