import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { isFlagged } from "../flags";

/** What can be done about an update that waits. */
export type Repair = "correct" | "move" | "replaced" | "rolledOver";
export type Act = "apply" | Repair | "reject";

/** Whatever applies to this update, most likely first; `apply` and `reject` always do. */
export function repairsOf(update: OperatorUpdate): Repair[] {
  const repairs: Repair[] = [];
  if (update.newUsage !== undefined) repairs.push("correct");
  repairs.push("move");
  // A reading from before the last one tells nothing about a new meter.
  if (update.newUsage !== undefined && !update.late) repairs.push("replaced", "rolledOver");
  return repairs;
}

/** The repairs that stand beside a flagged update, without opening the menu. */
export function likelyRepairs(update: OperatorUpdate, below: boolean): Repair[] {
  if (!below && !isFlagged(update)) return [];
  const unlikely = new Set<Repair>(below ? ["rolledOver"] : ["replaced", "rolledOver"]);
  return repairsOf(update).filter((act) => !unlikely.has(act));
}
