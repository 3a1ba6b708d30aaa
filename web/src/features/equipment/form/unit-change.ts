import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { unitWord } from "#/domain/equipment-wire";
import type { EquipmentValues } from "./schema";

/** Whether saving begins a new count of the meter in another unit. */
export function changesUnit(equipment: Equipment | null, values: EquipmentValues): boolean {
  if (equipment === null) return false;
  const before = unitWord(equipment.unit);
  return before !== "n/a" && before !== values.unit;
}
