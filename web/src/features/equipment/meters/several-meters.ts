import { createContext, useContext } from "react";

/** Whether the page's machine has had several meters, so that usage has to name its scale. */
const SeveralMeters = createContext(false);

export const SeveralMetersProvider = SeveralMeters.Provider;

export function useSeveralMeters(): boolean {
  return useContext(SeveralMeters);
}
