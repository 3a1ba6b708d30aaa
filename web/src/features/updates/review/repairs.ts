import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { isFlagged } from "../flags";

/** What can be done about an update that waits. */
export type Repair = "correct" | "move" | "replaced" | "rolledOver";
export type Act = "apply" | Repair | "reject";

/**
 * Whatever applies to this update, most likely first; `apply` and `reject` always do. The reading of
 * a late one moves nothing, so that there is nothing to put right about it.
 */
export function repairsOf(update: OperatorUpdate, late = update.late): Repair[] {
  return update.newUsage === undefined || late
    ? ["move"]
    : ["correct", "move", "replaced", "rolledOver"];
}

/** The repairs that stand beside a flagged update, without opening the menu. */
export function likelyRepairs(
  update: OperatorUpdate,
  below: boolean,
  late = update.late,
): Repair[] {
  if (!below && !isFlagged(update)) return [];
  const unlikely = new Set<Repair>(below ? ["rolledOver"] : ["replaced", "rolledOver"]);
  return repairsOf(update, late).filter((act) => !unlikely.has(act));
}
