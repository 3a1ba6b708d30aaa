export type Tier = "basic" | "professional" | "enterprise";

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
