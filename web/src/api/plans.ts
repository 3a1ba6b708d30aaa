import { queryOptions } from "@tanstack/react-query";
import * as v from "valibot";
import { rest } from "./rest";

const planSchema = v.object({
  tier: v.picklist(["basic", "professional", "enterprise"]),
  equipmentLimit: v.number(),
  monthlyCents: v.number(),
  yearlyCents: v.number(),
  listMonthlyCents: v.number(),
  listYearlyCents: v.number(),
  features: v.array(v.object({ key: v.string(), premium: v.boolean() })),
});

const catalogueSchema = v.object({
  plans: v.array(planSchema),
  trialDays: v.number(),
  yearlyDiscountPercent: v.number(),
  launchDiscountPercent: v.number(),
});

export type Plan = v.InferOutput<typeof planSchema>;

/** Prices, limits and the trial's length: every page reads them from here, none states its own. */
export const planCatalogueQuery = queryOptions({
  queryKey: ["plans"],
  queryFn: ({ signal }) => rest("GET", "/api/plans", catalogueSchema, { signal }),
  staleTime: 5 * 60_000,
  gcTime: 10 * 60_000,
});
