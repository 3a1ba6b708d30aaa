import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { isFlagged } from "../flags";

/** What can be done about an update that waits. */
export type Repair = "correct" | "move" | "replaced" | "rolledOver";
export type Act = "apply" | Repair | "reject";

/**
 * The fixes that apply to this update, most likely first. The reading of a late update does not
 * change the meter, so there is nothing to fix.
 */
export function repairsOf(update: OperatorUpdate, late = update.late): Repair[] {
  return update.newUsage === undefined || late
    ? ["move"]
    : ["correct", "move", "replaced", "rolledOver"];
}

/** The fixes shown as buttons beside a flagged update. */
export function likelyRepairs(
  update: OperatorUpdate,
  below: boolean,
  late = update.late,
): Repair[] {
  if (!below && !isFlagged(update)) return [];
  const unlikely = new Set<Repair>(below ? ["rolledOver"] : ["replaced", "rolledOver"]);
  return repairsOf(update, late).filter((act) => !unlikely.has(act));
}
