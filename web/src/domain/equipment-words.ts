// The names of equipment values in URLs, forms and text keys.

export const meterUnits = ["hours", "miles", "kilometers", "n/a"] as const;
export type UnitWord = (typeof meterUnits)[number];

export const equipmentFuels = ["gasoline", "diesel", "n/a"] as const;
export type EquipmentFuelWord = (typeof equipmentFuels)[number];

export const operationalStatuses = ["in_use", "standing", "in_shop", "out_of_service"] as const;
export type OperationalWord = (typeof operationalStatuses)[number];

export const fuelKinds = ["gas", "diesel"] as const;
export type FuelKindWord = (typeof fuelKinds)[number];

export const alertThresholds = ["10", "15", "20", "25"] as const;

/** The default of a fuel entry: the equipment's own fuel, gas if it has none. */
export function presetFuelKind(fuel: EquipmentFuelWord): FuelKindWord {
  return fuel === "diesel" ? "diesel" : "gas";
}
