import { createStoredChoice, useStore } from "#/shared/store";

const choice = createStoredChoice("reviewKeys", ["on", "off"]);

export const setKeysOn = (on: boolean): void => choice.set(on ? "on" : "off");

/** Whether single keys act: who speaks to a computer, or rests a hand on it, turns them off. */
export const useKeysOn = (): boolean => useStore(choice) === "on";
