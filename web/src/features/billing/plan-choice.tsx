import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { equipmentSummaryQuery } from "#/api/equipment-summary";
import { SubscriptionAction, type Subscription } from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { planCatalogueQuery, type Plan } from "#/api/plans";
import { subscriptionQuery } from "#/api/subscription";
import { usePlanText } from "#/shared/words/plan-text";
import { allows, paidInterval, statusWord, tierWord } from "#/domain/subscription-words";
import { useFormat } from "#/shared/format/use-format";
import { supportEmail } from "#/shared/support-email";
import { useChosenPlan } from "#/shared/chosen-plan";
import type { BillingInterval } from "#/shared/plans/plan-card";
import { IntervalSwitch, PlanList } from "#/shared/plans/plan-list";
import { Badge } from "#/shared/ui/badge";
import { Button } from "#/shared/ui/button";
import { Notice } from "#/shared/ui/notice";
import { ChangePlanDialog, type WantedChange } from "./change-plan-dialog";
import { PlanComparison } from "./plan-comparison";
import { isTooSmall, limitWith, offerOf, ownPlan, type Change } from "./plan-offer";
import { useCheckout } from "./use-provider-page";
import { useDay } from "./use-subscription-state";

export function PlanChoice() {
  const { t } = useTranslation();
  const format = useFormat();
  const catalogue = useQuery(planCatalogueQuery).data;
  const subscription = useQuery(subscriptionQuery(useTransport())).data?.subscription;
  const [chosen, setChosen] = useState<BillingInterval | null>(null);
  // A paying company sees its own interval first.
  const interval = chosen ?? (subscription && paidInterval(subscription)) ?? "month";
  const own = subscription ? ownPlan(subscription) : null;
  const tier = subscription && tierWord(subscription.entitlements?.tier ?? 0);
  const hint = useHint(subscription);
  const checkout = useCheckout(subscription?.provider);
  return (
    <section
      id="plans"
      tabIndex={-1}
      aria-labelledby="plans-title"
      className="scroll-mt-20 space-y-4 outline-none"
    >
      <div className="flex flex-wrap items-end justify-between gap-x-8 gap-y-3">
        <div className="max-w-prose">
          <h2 id="plans-title" className="text-lg font-semibold">
            {t("subscription.plans")}
          </h2>
          {catalogue && (
            <p className="mt-1 text-muted">
              <strong className="font-semibold text-ink">
                {t("subscription.launch", {
                  percent: format.percent(catalogue.launchDiscountPercent),
                })}
              </strong>{" "}
              {t("subscription.yearlySaves", {
                percent: format.percent(catalogue.yearlyDiscountPercent),
              })}
            </p>
          )}
        </div>
        <IntervalSwitch value={interval} onChange={setChosen} />
      </div>
      {hint && <Notice>{hint}</Notice>}
      <PlanList
        brief
        interval={interval}
        isOwn={(plan) => plan.tier === own}
        renderMark={(plan) =>
          plan.tier === tier && (
            <Badge tone="accent">
              {own ? t("subscription.yours") : t("subscription.yourLimits")}
            </Badge>
          )
        }
        renderAction={(plan) =>
          subscription &&
          catalogue && (
            <PlanAction
              plan={plan}
              plans={catalogue.plans}
              interval={interval}
              subscription={subscription}
              checkout={checkout}
            />
          )
        }
      />
      {catalogue && <LargerFleets plans={catalogue.plans} />}
      {catalogue && <PlanComparison plans={catalogue.plans} own={own} />}
    </section>
  );
}

/** Beyond the largest plan. */
function LargerFleets({ plans }: { plans: readonly Plan[] }) {
  const { t } = useTranslation();
  const limits = plans.map((plan) => plan.equipmentLimit);
  if (!supportEmail || limits.some((limit) => limit < 0)) return null;
  return (
    <p className="text-muted">
      {t("subscription.larger", { count: Math.max(...limits) })}{" "}
      <Link
        to="/contact"
        className="font-semibold text-accent underline underline-offset-3 hover:text-accent-hover"
      >
        {t("shell.titles.contact")}
      </Link>
    </p>
  );
}

function useHint(subscription: Subscription | undefined): string | null {
  const { t } = useTranslation();
  const day = useDay();
  if (!subscription) return null;
  const open = [SubscriptionAction.CHANGE_PLAN, SubscriptionAction.CHECKOUT];
  if (subscription.firstChargeAt) {
    return t("subscription.checkout.firstCharge", { date: day(subscription.firstChargeAt) });
  }
  if (open.some((action) => allows(subscription, action))) return null;
  if (subscription.graceEnd) return t("subscription.first.pay");
  switch (statusWord(subscription.entitlements?.status ?? 0)) {
    case "paused":
      return t("subscription.first.resume");
    case "canceled":
      return t("subscription.first.keep");
    case "trial":
    case "active":
    case "expired":
      return null;
  }
}

function PlanAction({
  plan,
  plans,
  interval,
  subscription,
  checkout: { buying, buy },
}: {
  plan: Plan;
  plans: readonly Plan[];
  interval: BillingInterval;
  subscription: Subscription;
  checkout: ReturnType<typeof useCheckout>;
}) {
  const { t } = useTranslation();
  const format = useFormat();
  const name = usePlanText().name(plan.tier);
  const preferred = useChosenPlan() || "professional";
  const [wanted, setWanted] = useState<WantedChange | null>(null);
  const [isConfirming, setIsConfirming] = useState(false);
  const label = useChangeLabel();
  const total = useQuery(equipmentSummaryQuery(useTransport())).data?.total;
  const limit = limitWith(plan, subscription, plans);
  const tiers = plans.map((each) => each.tier);
  const offer = offerOf(subscription, plan.tier, interval, tiers);
  return (
    <>
      {offer.kind !== "none" && isTooSmall(limit, total) && (
        <p className="mb-3 text-sm">
          {t("subscription.tooSmall", {
            total: format.number(total ?? 0),
            limit: format.number(limit),
          })}
        </p>
      )}
      {offer.kind === "checkout" && (
        <Button
          wide
          variant={plan.tier === preferred ? "primary" : "secondary"}
          pending={buying === plan.tier}
          pendingLabel="…"
          onClick={() => buy(plan.tier, interval)}
        >
          {t("subscription.checkout.start", { plan: name })}
        </Button>
      )}
      {offer.kind === "change" && (
        <Button
          wide
          onClick={() => {
            setWanted({ plan, interval, change: offer.change });
            setIsConfirming(true);
          }}
        >
          {label(offer.change, name)}
        </Button>
      )}
      {wanted && (
        <ChangePlanDialog
          subscription={subscription}
          plans={plans}
          wanted={wanted}
          open={isConfirming}
          onOpenChange={setIsConfirming}
        />
      )}
    </>
  );
}

function useChangeLabel(): (change: Change, plan: string) => string {
  const { t } = useTranslation();
  return (change, plan) => {
    switch (change) {
      case "upgrade":
        return t("subscription.change.toUpgrade", { plan });
      case "downgrade":
        return t("subscription.change.toDowngrade", { plan });
      case "yearly":
        return t("subscription.change.toYearly");
      case "monthly":
        return t("subscription.change.toMonthly");
    }
  };
}
