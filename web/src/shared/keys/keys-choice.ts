import { createStoredChoice, useStore } from "#/shared/store";

const choice = createStoredChoice("reviewKeys", ["on", "off"]);

export const setKeysOn = (on: boolean): void => choice.set(on ? "on" : "off");

/** Whether single-key shortcuts are on; speech users and others can turn them off. */
export const useKeysOn = (): boolean => useStore(choice) === "on";
