import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { planCatalogueQuery } from "#/api/plans";
import { useFormat } from "#/shared/format/use-format";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { Segmented } from "#/shared/ui/segmented";
import { Skeleton } from "#/shared/ui/skeleton";
import { PlanCard } from "./plan-card";

export function LandingPlans() {
  const { t } = useTranslation();
  const format = useFormat();
  const errorText = useErrorText();
  const catalogue = useQuery(planCatalogueQuery);
  const [interval, setInterval] = useState<"month" | "year">("month");
  const data = catalogue.data;
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
          <div className="min-w-60 max-sm:w-full">
            <Segmented
              label={t("plans.interval")}
              hideLabel
              value={interval}
              onChange={setInterval}
              options={[
                { value: "month", label: t("plans.monthly") },
                { value: "year", label: t("plans.yearly") },
              ]}
            />
          </div>
        </div>
        {catalogue.isError && (
          <ErrorPanel
            title={t("landing.plans.loadFailed")}
            reason={errorText(catalogue.error)}
            onRetry={() => void catalogue.refetch()}
            retrying={catalogue.isFetching}
          />
        )}
        {catalogue.isPending && (
          <div className="grid gap-4 lg:grid-cols-3">
            <Skeleton className="h-[30rem]" />
            <Skeleton className="h-[30rem]" />
            <Skeleton className="h-[30rem]" />
          </div>
        )}
        {data && (
          <ul className="grid gap-4 lg:grid-cols-3">
            {data.plans.map((plan) => (
              <PlanCard key={plan.tier} plan={plan} interval={interval} />
            ))}
          </ul>
        )}
      </div>
    </section>
  );
}
