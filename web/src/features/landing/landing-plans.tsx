import { Link } from "@tanstack/react-router";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { planCatalogueQuery } from "#/api/plans";
import { useFormat } from "#/shared/format/use-format";
import type { BillingInterval } from "#/shared/plans/plan-card";
import { IntervalSwitch, PlanList } from "#/shared/plans/plan-list";
import { Button } from "#/shared/ui/button";

export function LandingPlans() {
  const { t } = useTranslation();
  const format = useFormat();
  const { data } = useQuery(planCatalogueQuery);
  const [interval, setInterval] = useState<BillingInterval>("month");
  return (
    <section className="border-t border-line">
      <div className="mx-auto max-w-(--container-page) px-4 py-16 lg:px-6 lg:py-20">
        <div className="mb-8 flex flex-wrap items-end justify-between gap-x-8 gap-y-4">
          <div>
            <h2 className="text-title font-[650]">{t("landing.plans.title")}</h2>
            {data && (
              <p className="mt-2 text-muted">
                {t("landing.plans.launch", { percent: format.percent(data.launchDiscountPercent) })}{" "}
                {t("landing.plans.yearly", { percent: format.percent(data.yearlyDiscountPercent) })}
              </p>
            )}
          </div>
          <IntervalSwitch value={interval} onChange={setInterval} />
        </div>
        <PlanList
          interval={interval}
          renderAction={() => (
            <Button asChild wide>
              <Link to="/signup">{t("landing.plans.choose")}</Link>
            </Button>
          )}
        />
      </div>
    </section>
  );
}
