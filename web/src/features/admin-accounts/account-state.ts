import { timestampDate } from "@bufbuild/protobuf/wkt";
import {
  SubscriptionAction,
  SubscriptionStatus,
  type AccountSubscription,
  type Subscription,
} from "#/api/gen/hourmeter/billing/v1/billing_pb";
import type { AccountState } from "#/domain/account-states";
import { allows, statusWord } from "#/domain/subscription-words";

interface Billed {
  billed: AccountSubscription | undefined;
}

/** Null for a company that billing does not know yet. */
export function stateOf({ billed }: Billed): AccountState | null {
  const subscription = billed?.subscription;
  if (!subscription?.entitlements) return null;
  if (subscription.graceEnd) return "pastDue";
  return statusWord(subscription.entitlements.status);
}

export type DateKind =
  | "trialEnds"
  | "trialEnded"
  | "renews"
  | "accessEnds"
  | "resumes"
  | "ends"
  | "ended";

/** The next date of a subscription and what happens then, or when it ended. */
export function nextDate(account: Billed): { kind: DateKind; at: Date } | null {
  const subscription = account.billed?.subscription;
  const state = stateOf(account);
  if (!subscription || !state) return null;
  const { trialEnd, currentPeriodEnd, pauseEnd, graceEnd } = subscription;
  const dated = (kind: DateKind, at: typeof trialEnd) =>
    at ? { kind, at: timestampDate(at) } : null;
  switch (state) {
    case "trial":
      return dated("trialEnds", trialEnd);
    case "pastDue":
      return dated("accessEnds", graceEnd);
    case "paused":
      return dated("resumes", pauseEnd);
    case "active":
      return dated(willRenew(subscription) ? "renews" : "ends", currentPeriodEnd);
    case "canceled":
      return dated(subscription.entitlements?.active ? "ends" : "ended", currentPeriodEnd);
    case "expired":
      return currentPeriodEnd ? dated("ended", currentPeriodEnd) : dated("trialEnded", trialEnd);
  }
}

/** A plan agreed with support, which can be bought, ends instead. */
function willRenew(subscription: Subscription): boolean {
  return !subscription.cancelAtPeriodEnd && !allows(subscription, SubscriptionAction.CHECKOUT);
}

/** Whether the company pays or has an agreed plan, so that it has no trial to extend. */
export function isPaid({ billed }: Billed): boolean {
  const status = billed?.subscription?.entitlements?.status;
  return status === SubscriptionStatus.ACTIVE || status === SubscriptionStatus.PAUSED;
}
