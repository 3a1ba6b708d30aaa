import * as v from "valibot";
import { dayInUrl } from "#/domain/days";

// The range of the fuel figures. It is in the dashboard's URL; the default is since the last reset.

export const fuelSpans = ["30-days", "year", "12-months", "custom"] as const;
export type FuelSpan = (typeof fuelSpans)[number];

/** For the search part of a route. */
export const fuelRangeEntries = {
  fuel: v.fallback(v.optional(v.picklist(fuelSpans)), undefined),
  fuelFrom: dayInUrl,
  fuelTo: dayInUrl,
};

const rangeSchema = v.object(fuelRangeEntries);
export type FuelRange = v.InferOutput<typeof rangeSchema>;
