import { createStoredChoice, useStore } from "./store";

/** The plan that a visitor chose on the landing page, until logout; empty: none. */
export const chosenPlan = createStoredChoice("plan", ["", "basic", "professional", "enterprise"]);

export const useChosenPlan = () => useStore(chosenPlan);
