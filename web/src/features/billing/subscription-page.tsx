import { Link } from "@tanstack/react-router";
import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { planCatalogueQuery } from "#/api/plans";
import { subscriptionQuery } from "#/api/subscription";
import { usePlanText } from "#/domain/plan-text";
import { useFormat } from "#/shared/format/use-format";
import type { BillingInterval } from "#/shared/plans/plan-card";
import { IntervalSwitch, PlanList } from "#/shared/plans/plan-list";
import { supportEmail } from "#/shared/support-email";
import { Badge } from "#/shared/ui/badge";
import { Button } from "#/shared/ui/button";
import { PageHeader } from "#/shared/ui/page-header";
import { CurrentPlan } from "./current-plan";
import { statusWord, tierWord } from "#/domain/subscription-words";

/** The company's plan, and what the others offer. A change is asked for in writing. */
export function SubscriptionPage() {
  const { t } = useTranslation();
  const format = useFormat();
  const planText = usePlanText();
  const [interval, setInterval] = useState<BillingInterval>("month");
  const catalogue = useQuery(planCatalogueQuery).data;
  const subscription = useQuery(subscriptionQuery(useTransport())).data?.subscription;
  const entitlements = subscription?.entitlements;
  const own = entitlements && tierWord(entitlements.tier);
  // A trial has the limits of a plan, but nothing is bought yet, so each plan can be asked for.
  const paid =
    entitlements?.active && statusWord(entitlements.status) !== "trial" ? own : undefined;
  return (
    <>
      <PageHeader title={t("shell.titles.subscription")} description={t("subscription.subtitle")} />
      <div className="space-y-10">
        <CurrentPlan />
        <section aria-labelledby="plans" className="space-y-4">
          <div className="flex flex-wrap items-end justify-between gap-x-8 gap-y-3">
            <div className="max-w-prose">
              <h2 id="plans" className="text-lg font-semibold">
                {t("subscription.plans")}
              </h2>
              <p className="mt-1 text-muted">
                {t("subscription.howToChange")}
                {supportEmail && <> {t("contact.promise")}</>}
                {catalogue && (
                  <>
                    {" "}
                    {t("subscription.yearlySaves", {
                      percent: format.percent(catalogue.yearlyDiscountPercent),
                    })}
                  </>
                )}
              </p>
            </div>
            <IntervalSwitch value={interval} onChange={setInterval} />
          </div>
          <PlanList
            interval={interval}
            renderMark={(plan) =>
              plan.tier === own && (
                <Badge tone="accent">
                  {paid ? t("subscription.yours") : t("subscription.yourLimits")}
                </Badge>
              )
            }
            renderAction={(plan) =>
              plan.tier === paid ? null : (
                <Button asChild wide>
                  <Link to="/contact" search={{ plan: plan.tier, interval }}>
                    {t("subscription.ask", { plan: planText.name(plan.tier) })}
                  </Link>
                </Button>
              )
            }
          />
        </section>
      </div>
    </>
  );
}
