import { SubscriptionStatus, Tier } from "#/api/gen/hourmeter/billing/v1/billing_pb";
import type * as plan from "./plan";

export function tierWord(tier: Tier): plan.Tier {
  switch (tier) {
    case Tier.PROFESSIONAL:
      return "professional";
    case Tier.ENTERPRISE:
      return "enterprise";
    case Tier.BASIC:
    default:
      return "basic";
  }
}

export type StatusWord = "trial" | "active" | "paused" | "expired" | "canceled";

export function statusWord(status: SubscriptionStatus): StatusWord {
  switch (status) {
    case SubscriptionStatus.ACTIVE:
      return "active";
    case SubscriptionStatus.PAUSED:
      return "paused";
    case SubscriptionStatus.EXPIRED:
      return "expired";
    case SubscriptionStatus.CANCELED:
      return "canceled";
    case SubscriptionStatus.TRIAL:
    default:
      return "trial";
  }
}
