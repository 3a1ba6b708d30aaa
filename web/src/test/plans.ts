const feature = (key: string, premium = false) => ({ key, premium });
const features = [feature("equipment_tracking"), feature("fuel_analytics", true)];

/** The response of GET /api/plans. */
export const catalogue = {
  plans: [
    {
      tier: "basic",
      equipmentLimit: 15,
      monthlyCents: 3200,
      yearlyCents: 2720,
      listMonthlyCents: 4000,
      listYearlyCents: 3400,
      features,
    },
    {
      tier: "professional",
      equipmentLimit: 30,
      monthlyCents: 5400,
      yearlyCents: 4590,
      listMonthlyCents: 6800,
      listYearlyCents: 5800,
      features,
    },
    {
      tier: "enterprise",
      equipmentLimit: -1,
      monthlyCents: 10_000,
      yearlyCents: 8500,
      listMonthlyCents: 12_500,
      listYearlyCents: 10_600,
      features,
    },
  ],
  trialDays: 28,
  yearlyDiscountPercent: 15,
  launchDiscountPercent: 20,
};
