import { createContext, useContext } from "react";

/** Whether the machine of a page has had more than one meter: then usage has to say its scale. */
const SeveralMeters = createContext(false);

export const SeveralMetersProvider = SeveralMeters.Provider;

export function useSeveralMeters(): boolean {
  return useContext(SeveralMeters);
}
