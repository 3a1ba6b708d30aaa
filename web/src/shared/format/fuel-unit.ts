import type { FuelUnit } from "#/domain/fuel-consumption";
import { useSessionState } from "#/session/state";

/** The label beside fuel amounts, a setting of the company. Amounts are never converted. */
export const useFuelUnit = (): FuelUnit =>
  useSessionState(({ user }) => (user?.fuelUnit === "litres" ? "L" : "gal"));
