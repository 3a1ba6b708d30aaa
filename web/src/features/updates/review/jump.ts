import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { checkReading } from "#/domain/reading-check";
import { checkedEntry, checkedMeter } from "./checked";

/** Whether this reading would raise the meter by more than is plausible since the last reading. */
export function isJump(update: OperatorUpdate, equipment: Equipment, reading: number): boolean {
  const { unit } = checkedMeter(equipment);
  const entry = { ...checkedEntry(update), reading, increase: null, unit };
  return checkReading(checkedMeter(equipment), entry).flags.includes("jump");
}
