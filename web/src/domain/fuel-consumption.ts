import type { UnitWord } from "./equipment-words";

export type FuelUnit = "gal" | "L";

export interface Consumption {
  value: number;
  unit: "MPG" | "mi/L" | "km/gal" | "L/100 km" | "gal/h" | "L/h";
}

/**
 * Consumption in the unit that is usual for a meter and the company's fuel unit. Null without a meter,
 * or if there is nothing to divide by.
 */
export function consumptionOf(
  { fuel, usage }: { fuel: number; usage: number },
  meter: UnitWord,
  fuelUnit: FuelUnit,
): Consumption | null {
  if (fuel <= 0 || usage <= 0) return null;
  const liters = fuelUnit === "L";
  switch (meter) {
    case "hours":
      return { value: fuel / usage, unit: liters ? "L/h" : "gal/h" };
    case "miles":
      return { value: usage / fuel, unit: liters ? "mi/L" : "MPG" };
    case "kilometers":
      return liters
        ? { value: (fuel / usage) * 100, unit: "L/100 km" }
        : { value: usage / fuel, unit: "km/gal" };
    case "n/a":
      return null;
  }
}
