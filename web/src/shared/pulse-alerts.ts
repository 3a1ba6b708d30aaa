import { createStoredChoice, useStore } from "./store";

const choice = createStoredChoice("pulseAlerts", ["on", "off"]);

export const setPulseAlerts = (on: boolean): void => choice.set(on ? "on" : "off");

/** Whether updates about critical equipment pulse on the dashboard. */
export const usePulseAlerts = (): boolean => useStore(choice) === "on";
