import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { isFlagged } from "../flags";

export type Fix = "correct" | "move" | "replaced" | "rolledOver";
export type Act = "apply" | Fix | "reject";

/**
 * The fixes that apply to this update, most likely first. The reading of a late update does not
 * change the meter, so there is nothing to fix.
 */
export function fixesOf(update: OperatorUpdate, late = update.late): Fix[] {
  return update.newUsage === undefined || late
    ? ["move"]
    : ["correct", "move", "replaced", "rolledOver"];
}

/** The fixes shown as buttons beside a flagged update. */
export function likelyFixes(update: OperatorUpdate, below: boolean, late = update.late): Fix[] {
  if (!below && !isFlagged(update)) return [];
  const unlikely = new Set<Fix>(below ? ["rolledOver"] : ["replaced", "rolledOver"]);
  return fixesOf(update, late).filter((act) => !unlikely.has(act));
}
