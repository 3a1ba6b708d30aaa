import { timestampDate, type Timestamp } from "@bufbuild/protobuf/wkt";
import { useTranslation } from "react-i18next";
import { SubscriptionAction, type Subscription } from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { allows, paidInterval, statusWord } from "#/domain/subscription-words";
import { useFormat } from "#/shared/format/use-format";
import { isUncharged } from "./paid-time";

export interface SubscriptionState {
  label: string;
  text: string;
  /** It needs attention: a payment failed, or access has ended. */
  alarming: boolean;
}

/** A date of the subscription in local time; empty without one. */
export function useDay(): (at: Timestamp | undefined) => string {
  const format = useFormat();
  return (at) => (at ? format.instantDay(timestampDate(at)) : "");
}

/** The state of a subscription in words: a label for the badge and an explanation. */
export function useSubscriptionState(): (subscription: Subscription) => SubscriptionState {
  const { t } = useTranslation();
  const day = useDay();
  return (subscription) => {
    const { entitlements, trialEnd, currentPeriodEnd, pauseEnd, graceEnd } = subscription;
    const until = day(currentPeriodEnd);
    switch (statusWord(entitlements?.status ?? 0)) {
      case "trial":
        return {
          label: t("subscription.status.trial"),
          text: t("subscription.state.trial", {
            count: subscription.trialDaysLeft,
            date: day(trialEnd),
          }),
          alarming: false,
        };
      case "active":
        if (graceEnd) {
          return {
            label: t("subscription.status.failed"),
            text: t("subscription.state.failed", { date: day(graceEnd) }),
            alarming: true,
          };
        }
        return {
          label: t("subscription.status.active"),
          text: activeText(subscription),
          alarming: false,
        };
      case "paused":
        return {
          label: t("subscription.status.paused"),
          text: pauseEnd
            ? t("subscription.state.pausedUntil", { date: day(pauseEnd) })
            : t("subscription.state.paused"),
          alarming: true,
        };
      case "canceled":
        return entitlements?.active && until
          ? {
              label: t("subscription.status.canceled"),
              text: t("subscription.state.ends", { date: until }),
              alarming: false,
            }
          : {
              label: t("subscription.status.canceled"),
              text: t("subscription.state.over"),
              alarming: true,
            };
      case "expired":
        return {
          label: t("subscription.status.expired"),
          text: wasPaid(subscription)
            ? t("subscription.state.over")
            : t("subscription.state.trialOver", { date: day(trialEnd) }),
          alarming: true,
        };
    }
  };

  function activeText(subscription: Subscription): string {
    const date = day(subscription.currentPeriodEnd);
    if (!date) return t("subscription.state.active");
    if (subscription.cancelAtPeriodEnd) return t("subscription.state.ends", { date });
    if (isAgreed(subscription)) return t("subscription.state.agreed", { date });
    return isUncharged(subscription)
      ? t("subscription.state.firstCharge", { date })
      : t("subscription.state.renews", { date });
  }
}

/** Agreed outside the product: active until its end, then it has to be bought. */
export function isAgreed(subscription: Subscription): boolean {
  return (
    statusWord(subscription.entitlements?.status ?? 0) === "active" &&
    allows(subscription, SubscriptionAction.CHECKOUT)
  );
}

/** Whether there was ever a payment; otherwise the trial has ended. */
export function wasPaid(subscription: Subscription): boolean {
  return paidInterval(subscription) !== null || subscription.currentPeriodEnd !== undefined;
}
