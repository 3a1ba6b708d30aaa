import { MeterUnit, type Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";

/** Captured in another unit than the machine's now. */
export function hasWrongUnit({ flags }: Pick<OperatorUpdate, "flags">): boolean {
  return flags.includes("wrong_unit");
}

export function hasNoMeter(equipment: Pick<Equipment, "unit"> | undefined): boolean {
  return equipment?.unit === MeterUnit.NOT_APPLICABLE;
}

/** The unit of its usage: as captured, or the machine's if an earlier release has not stored it. */
export function unitOf(
  { unit }: OperatorUpdate,
  equipment: Equipment | undefined,
): MeterUnit | undefined {
  return unit === MeterUnit.UNSPECIFIED ? equipment?.unit : unit;
}
