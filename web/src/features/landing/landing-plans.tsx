import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { planCatalogueQuery } from "#/api/plans";
import { useTrialLength } from "#/shared/words/trial";
import { useFormat } from "#/shared/format/use-format";
import type { BillingInterval } from "#/shared/plans/plan-card";
import { IntervalSwitch, PlanList } from "#/shared/plans/plan-list";
import { LandingLink } from "./landing-link";
import { SectionTitle } from "./section-title";

export function LandingPlans() {
  const { t } = useTranslation();
  const format = useFormat();
  const { data } = useQuery(planCatalogueQuery);
  const trial = useTrialLength(data?.trialDays);
  const [interval, setInterval] = useState<BillingInterval>("month");
  return (
    <section id="plans" className="scroll-mt-4 border-t border-line">
      <div className="mx-auto max-w-(--container-page) px-4 py-16 lg:px-6 lg:py-24">
        <div className="mb-9 flex flex-wrap items-end justify-between gap-x-10 gap-y-5">
          <div className="max-w-[44rem]">
            <SectionTitle>{t("landing.plans.title")}</SectionTitle>
            <p className="mt-4 min-h-[2lh] text-lg text-muted">
              {data && (
                <>
                  <strong className="font-semibold text-ink">
                    {t("landing.plans.launch", {
                      percent: format.percent(data.launchDiscountPercent),
                    })}
                  </strong>{" "}
                  {t("landing.plans.yearly", {
                    percent: format.percent(data.yearlyDiscountPercent),
                  })}
                </>
              )}
            </p>
          </div>
          <IntervalSwitch value={interval} onChange={setInterval} />
        </div>
        <PlanList
          interval={interval}
          renderAction={(plan) => (
            <LandingLink
              to="/signup"
              button={{
                variant: plan.tier === "professional" ? "primary" : "secondary",
                wide: true,
              }}
            >
              {t("landing.plans.choose")}
            </LandingLink>
          )}
        />
        <p className="mt-5 text-muted">
          {trial ? t("landing.plans.trial", { trial }) : t("landing.plans.trialShort")}
        </p>
      </div>
    </section>
  );
}
