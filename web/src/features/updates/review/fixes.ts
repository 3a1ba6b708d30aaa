import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import {
  UpdateStatus,
  type OperatorUpdate,
} from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { likelyReadings } from "#/domain/likely-fixes";
import { checkReading } from "#/domain/reading-check";
import { saysReplaced } from "#/shared/words/replaced-note";
import { isFlagged } from "../flags";
import { hasNoMeter, hasWrongUnit } from "../unit";
import { isLate } from "../late";
import type { EquipmentById } from "../queries";
import { checkedEntry, checkedMeter } from "./checked";

export type Fix = "correct" | "move" | "replaced" | "rolledOver";
export type Act = "apply" | Fix | "restore" | "reject";

/** Whether it can't be applied with any value: its machine is gone or has no meter. */
export function mayOnlyMove(update: OperatorUpdate, equipment: EquipmentById): boolean {
  const { equipmentId } = update;
  const isGone = equipment?.isGone(equipmentId) ?? false;
  return isGone || (hasWrongUnit(update) && hasNoMeter(equipment?.get(equipmentId)));
}

/**
 * The fixes that apply to this update, most likely first. Only a reading may be of a new meter, and a
 * late one only if it is below the meter of its time. `onlyMove`: see `mayOnlyMove`.
 */
export function fixesOf(
  update: OperatorUpdate,
  equipment: Equipment | undefined,
  onlyMove = false,
): Fix[] {
  const { newUsage, usageIncrease, fuelAdded } = update;
  if (onlyMove) return ["move"];
  if ((newUsage ?? usageIncrease) === undefined)
    return fuelAdded > 0 ? ["correct", "move"] : ["move"];
  const isBelow =
    update.belowCurrent ||
    update.flags.includes("below_meter") ||
    // Its flags are from before it was applied, perhaps as one of a new meter.
    update.status === UpdateStatus.TAKEN_BACK;
  return newUsage === undefined || (isLate(update, equipment) && !isBelow)
    ? ["correct", "move"]
    : ["correct", "move", "replaced", "rolledOver"];
}

/**
 * The first button's act. `below`: its reading is below the meter, and not only below a waiting one.
 * `aboveEnd`: its meter ended below it.
 */
export function mainAct(
  update: OperatorUpdate,
  equipment: Equipment | undefined,
  below: boolean,
  onlyMove = false,
  aboveEnd = false,
): Act {
  // A number in another unit is no reading of this meter, nor is one that it never showed.
  if (hasWrongUnit(update) || aboveEnd) return "correct";
  // Such a reading does not set the meter back.
  return below &&
    fixesOf(update, equipment, onlyMove).includes("replaced") &&
    saysReplaced(update.notes)
    ? "replaced"
    : "apply";
}

/** The acts shown as buttons beside a flagged update. */
export function likelyFixes(
  update: OperatorUpdate,
  equipment: Equipment | undefined,
  below: boolean,
  onlyMove = false,
  /** Its machine is retired or was deleted. */
  gone = false,
  aboveEnd = false,
): Exclude<Act, "reject">[] {
  if (gone) return ["restore", "move"];
  if (!below && !isFlagged(update)) return [];
  // If it can't be applied as reported, the correction is the main button, before any other.
  if ((hasWrongUnit(update) || aboveEnd) && !onlyMove) return [];
  if (mainAct(update, equipment, below, onlyMove) === "replaced")
    return ["correct", "move", "apply"];
  const unlikely = new Set<Fix>(below ? ["rolledOver"] : ["replaced", "rolledOver"]);
  return fixesOf(update, equipment, onlyMove).filter((act) => !unlikely.has(act));
}

/** The readings that were likely meant, as the operator's phone offers them. */
export function computedReadings(
  update: OperatorUpdate,
  equipment: Equipment | undefined,
): number[] {
  // Applying one of them would apply the fuel as reported, too.
  const hasWrongFuel = update.flags.some((flag) => flag === "fuel_high" || flag === "wrong_fuel");
  if (!equipment || hasWrongUnit(update) || hasWrongFuel || isLate(update, equipment)) return [];
  const [meter, entry] = [checkedMeter(equipment), checkedEntry(update)];
  // A flag that other waiting updates cause is not about a digit.
  const { flags } = checkReading(meter, entry);
  const isWrong = flags.includes("below_meter") || flags.includes("jump");
  return isWrong ? likelyReadings(meter, entry) : [];
}
