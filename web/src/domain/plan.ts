export const tiers = ["basic", "professional", "enterprise"] as const;
export type Tier = (typeof tiers)[number];

/** Parts entry and fuel analytics come with Professional and Enterprise. */
export function includesPremium(tier: Tier): boolean {
  switch (tier) {
    case "basic":
      return false;
    case "professional":
    case "enterprise":
      return true;
  }
}

/** The monthly share of a yearly price as advertised; the exact total is shown beside it. */
export const wholeDollars = (cents: number): number => Math.round(cents / 100) * 100;
