import { SubscriptionAction, type Subscription } from "#/api/gen/hourmeter/billing/v1/billing_pb";
import type { Plan } from "#/api/plans";
import { includesPremium, type Tier } from "#/domain/plan";
import { allows, paidInterval, statusWord, tierWord } from "#/domain/subscription-words";
import type { BillingInterval } from "#/shared/plans/plan-card";

export type Change = "upgrade" | "downgrade" | "yearly" | "monthly";

/** The available action for one plan. */
export type Offer = { kind: "checkout" } | { kind: "change"; change: Change } | { kind: "none" };

/** The company's own plan, active or paused; a trial has the limits of a plan but none of its own. */
export function ownPlan(subscription: Subscription): Tier | null {
  const status = statusWord(subscription.entitlements?.status ?? 0);
  if (status === "trial" || status === "expired") return null;
  const { tier, active } = subscription.entitlements ?? { tier: 0, active: false };
  return active || status === "paused" ? tierWord(tier) : null;
}

export function offerOf(
  subscription: Subscription,
  tier: Tier,
  interval: BillingInterval,
  smallestFirst: readonly Tier[],
): Offer {
  if (allows(subscription, SubscriptionAction.CHANGE_PLAN)) {
    const own = tierWord(subscription.entitlements?.tier ?? 0);
    if (tier !== own) {
      const up = smallestFirst.indexOf(tier) > smallestFirst.indexOf(own);
      return { kind: "change", change: up ? "upgrade" : "downgrade" };
    }
    if (interval === (paidInterval(subscription) ?? "month")) return { kind: "none" };
    return { kind: "change", change: interval === "year" ? "yearly" : "monthly" };
  }
  return allows(subscription, SubscriptionAction.CHECKOUT)
    ? { kind: "checkout" }
    : { kind: "none" };
}

/** The equipment limit of a plan; a larger limit set by support takes precedence. */
export function limitWith(plan: Plan, subscription: Subscription, plans: readonly Plan[]): number {
  const agreed = subscription.entitlements?.equipmentLimit;
  const now = plans.find(({ tier }) => tier === tierWord(subscription.entitlements?.tier ?? 0));
  const isSet = agreed !== undefined && now && agreed !== now.equipmentLimit;
  if (!isSet || plan.equipmentLimit < 0) return plan.equipmentLimit;
  return agreed < 0 ? agreed : Math.max(agreed, plan.equipmentLimit);
}

/** Whether a plan's limit covers the existing equipment. */
export function isTooSmall(limit: number, total: number | undefined): boolean {
  return limit >= 0 && total !== undefined && total > limit;
}

export function premiumChange(from: Tier, to: Tier): "opens" | "closes" | null {
  if (includesPremium(from) === includesPremium(to)) return null;
  return includesPremium(to) ? "opens" : "closes";
}

/** The amount of each payment: one month's price, or twelve times the yearly price per month. */
export function priceOf(plan: Plan, interval: BillingInterval): number {
  return interval === "year" ? plan.yearlyCents * 12 : plan.monthlyCents;
}
