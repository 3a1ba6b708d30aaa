import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Subscription } from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { planCatalogueQuery, type Plan } from "#/api/plans";
import { paidInterval, tierWord } from "#/domain/subscription-words";
import { useFormat } from "#/shared/format/use-format";
import type { BillingInterval } from "#/shared/plans/plan-card";
import { priceOf } from "./plan-offer";

/** "$32 a month", "$326.40 a year". */
export function usePriceText(): (plan: Plan, interval: BillingInterval) => string {
  const { t } = useTranslation();
  const format = useFormat();
  return (plan, interval) => {
    const price = format.money(priceOf(plan, interval));
    return interval === "year"
      ? t("subscription.price.year", { price })
      : t("subscription.price.month", { price });
  };
}

/** The price per payment; null while loading or without payments. */
export function usePrice(): (subscription: Subscription) => string | null {
  const plans = useQuery(planCatalogueQuery).data?.plans;
  const priceText = usePriceText();
  return (subscription) => {
    const interval = paidInterval(subscription);
    const tier = tierWord(subscription.entitlements?.tier ?? 0);
    const plan = plans?.find((each) => each.tier === tier);
    return plan && interval ? priceText(plan, interval) : null;
  };
}
