import type { EquipmentFuelWord, UnitWord } from "#/domain/equipment-words";

/** The usual unit and fuel of a type. */
export function proposalsFor(
  type: string,
  metric: boolean,
): { unit?: UnitWord; fuel?: EquipmentFuelWord } {
  switch (type) {
    case "vehicle":
      return { unit: metric ? "kilometers" : "miles" };
    case "machinery":
      return { unit: "hours", fuel: "diesel" };
    default:
      return {};
  }
}
