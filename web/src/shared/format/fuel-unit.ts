import { useSessionState } from "#/session/state";

/** The label beside fuel amounts, a setting of the company. Amounts are never converted. */
export const useFuelUnit = () =>
  useSessionState(({ user }) => (user?.fuelUnit === "litres" ? "L" : "gal"));
