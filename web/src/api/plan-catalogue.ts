import * as v from "valibot";

const planSchema = v.object({
  tier: v.picklist(["basic", "professional", "enterprise"]),
  equipmentLimit: v.number(),
  monthlyCents: v.number(),
  yearlyCents: v.number(),
  listMonthlyCents: v.number(),
  listYearlyCents: v.number(),
  features: v.array(v.object({ key: v.string(), premium: v.boolean() })),
});

/** The response of `GET /api/plans`. */
export const catalogueSchema = v.object({
  plans: v.array(planSchema),
  trialDays: v.number(),
  yearlyDiscountPercent: v.number(),
  launchDiscountPercent: v.number(),
});

export type Plan = v.InferOutput<typeof planSchema>;

export type Catalogue = v.InferOutput<typeof catalogueSchema>;
