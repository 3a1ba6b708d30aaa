import { timestampDate } from "@bufbuild/protobuf/wkt";
import { useTranslation } from "react-i18next";
import type { Subscription } from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { useFormat } from "#/shared/format/use-format";
import { statusWord } from "#/domain/subscription-words";

/** Where a subscription stands: one word for the badge, and what it means for the reader. */
export function useStanding(): (subscription: Subscription) => { label: string; text: string } {
  const { t } = useTranslation();
  const format = useFormat();
  return (subscription) => {
    const { entitlements, trialEnd, currentPeriodEnd, pauseEnd } = subscription;
    const day = (at: typeof trialEnd) => (at ? format.instantDay(timestampDate(at)) : "");
    const until = day(currentPeriodEnd);
    switch (statusWord(entitlements?.status ?? 0)) {
      case "trial":
        return {
          label: t("subscription.status.trial"),
          text: t("subscription.standing.trial", {
            count: subscription.trialDaysLeft,
            date: day(trialEnd),
          }),
        };
      case "active":
        return {
          label: t("subscription.status.active"),
          text: until
            ? subscription.cancelAtPeriodEnd
              ? t("subscription.standing.ends", { date: until })
              : t("subscription.standing.renews", { date: until })
            : t("subscription.standing.active"),
        };
      case "paused":
        return {
          label: t("subscription.status.paused"),
          text: pauseEnd
            ? t("subscription.standing.pausedUntil", { date: day(pauseEnd) })
            : t("subscription.standing.paused"),
        };
      case "canceled":
        return {
          label: t("subscription.status.canceled"),
          text:
            entitlements?.active && until
              ? t("subscription.standing.ends", { date: until })
              : t("subscription.standing.over"),
        };
      case "expired":
        return {
          label: t("subscription.status.expired"),
          text: t("subscription.standing.over"),
        };
    }
  };
}
