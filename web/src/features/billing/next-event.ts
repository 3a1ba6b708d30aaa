import { timestampMs, type Timestamp } from "@bufbuild/protobuf/wkt";
import type { Subscription } from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { statusWord } from "#/domain/subscription-words";

export type BillingEvent = "trialEnd" | "renewal" | "periodEnd" | "pauseEnd" | "graceEnd";

const dayMs = 24 * 60 * 60 * 1000;
/** The largest step that the server accepts. */
const maxDays = 400;

/** The next scheduled event on the billing clock, and the whole days until it has happened. */
export function nextEvent(
  subscription: Subscription,
): { event: BillingEvent; at: Date; days: number } | null {
  if (!subscription.now) return null;
  const now = timestampMs(subscription.now);
  const [next] = upcoming(subscription)
    .flatMap(({ event, at }) => (at ? [{ event, at: timestampMs(at) }] : []))
    .filter(({ at }) => at > now)
    .toSorted((left, right) => left.at - right.at);
  if (!next) return null;
  const days = Math.min(Math.max(Math.ceil((next.at - now) / dayMs), 1), maxDays);
  return { event: next.event, at: new Date(next.at), days };
}

function upcoming(
  subscription: Subscription,
): Array<{ event: BillingEvent; at: Timestamp | undefined }> {
  const { entitlements, trialEnd, currentPeriodEnd, pauseEnd, graceEnd } = subscription;
  switch (statusWord(entitlements?.status ?? 0)) {
    case "trial":
      return [{ event: "trialEnd", at: trialEnd }];
    case "active":
      return [
        { event: "graceEnd", at: graceEnd },
        {
          event: subscription.cancelAtPeriodEnd ? "periodEnd" : "renewal",
          at: currentPeriodEnd,
        },
      ];
    case "paused":
      return [{ event: "pauseEnd", at: pauseEnd }];
    case "canceled":
      return [{ event: "periodEnd", at: currentPeriodEnd }];
    case "expired":
      return [];
  }
}
