import {
  SubscriptionStatus,
  Tier,
  type Subscription,
  type SubscriptionAction,
} from "#/api/gen/hourmeter/billing/v1/billing_pb";
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

export function tierOf(word: plan.Tier): Tier {
  switch (word) {
    case "basic":
      return Tier.BASIC;
    case "professional":
      return Tier.PROFESSIONAL;
    case "enterprise":
      return Tier.ENTERPRISE;
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

/** The server decides which actions are available; screens don't derive them from the status. */
export function allows(subscription: Subscription, action: SubscriptionAction): boolean {
  return subscription.actions.includes(action);
}

/** The billing interval; null in a trial and for an agreed plan. */
export function paidInterval(subscription: Subscription): "month" | "year" | null {
  const { billingInterval } = subscription;
  return billingInterval === "month" || billingInterval === "year" ? billingInterval : null;
}
