import { useSyncExternalStore } from "react";

export const fuelUnits = ["gal", "L"] as const;
export type FuelUnit = (typeof fuelUnits)[number];

/** Where the choice is remembered; only "L" is written, since gallons are the default. */
const fuelUnitStorageKey = "fuelUnit";

const listeners = new Set<() => void>();

export function setFuelUnit(unit: FuelUnit): void {
  if (unit === "gal") localStorage.removeItem(fuelUnitStorageKey);
  else localStorage.setItem(fuelUnitStorageKey, unit);
  for (const listener of listeners) listener();
}

/** The word beside fuel figures. A label only: the figures are what was entered, never converted. */
export function useFuelUnit(): FuelUnit {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => (localStorage.getItem(fuelUnitStorageKey) === "L" ? "L" : "gal"),
  );
}
