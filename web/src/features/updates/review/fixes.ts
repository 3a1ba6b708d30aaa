import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { likelyReadings } from "#/domain/likely-fixes";
import { hasWrongUnit, isFlagged } from "../flags";
import { isLate } from "../late";
import { checkedEntry, checkedMeter } from "./checked";

export type Fix = "correct" | "move" | "replaced" | "rolledOver";
export type Act = "apply" | Fix | "reject";

/** The fixes that apply to this update, most likely first. Only a reading may be of a new meter. */
export function fixesOf({ newUsage, usageIncrease }: OperatorUpdate): Fix[] {
  if (newUsage !== undefined) return ["correct", "move", "replaced", "rolledOver"];
  return usageIncrease === undefined ? ["move"] : ["correct", "move"];
}

/** The fixes shown as buttons beside a flagged update. */
export function likelyFixes(update: OperatorUpdate, below: boolean): Fix[] {
  if (!below && !isFlagged(update)) return [];
  const unlikely = new Set<Fix>(below ? ["rolledOver"] : ["replaced", "rolledOver"]);
  // With another unit, the correction is the main button.
  if (hasWrongUnit(update)) unlikely.add("correct");
  return fixesOf(update).filter((act) => !unlikely.has(act));
}

/** The readings that were likely meant, as the operator's phone offers them. */
export function computedReadings(
  update: OperatorUpdate,
  equipment: Equipment | undefined,
  below: boolean,
): number[] {
  const isWrong = below || update.flags.includes("jump");
  if (!equipment || !isWrong || hasWrongUnit(update) || isLate(update, equipment)) return [];
  return likelyReadings(checkedMeter(equipment), checkedEntry(update));
}
