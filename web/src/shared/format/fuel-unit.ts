import { createStoredChoice, useStore } from "../store";

export const fuelUnits = ["gal", "L"] as const;
export type FuelUnit = (typeof fuelUnits)[number];

const choice = createStoredChoice<FuelUnit>("fuelUnit", fuelUnits);

export const setFuelUnit = choice.set;

/** The word beside fuel figures. A label only: the figures are what was entered, never converted. */
export const useFuelUnit = (): FuelUnit => useStore(choice);
