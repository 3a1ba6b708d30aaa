import { createStoredChoice, useStore } from "../store";

export const fuelUnits = ["gal", "L"] as const;
export type FuelUnit = (typeof fuelUnits)[number];

const choice = createStoredChoice<FuelUnit>("fuelUnit", fuelUnits);

export const setFuelUnit = choice.set;

/** The unit beside fuel figures. A label only: figures are never converted. */
export const useFuelUnit = (): FuelUnit => useStore(choice);
