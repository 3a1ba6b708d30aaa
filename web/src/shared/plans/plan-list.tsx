import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { planCatalogueQuery, type Plan } from "#/api/plans";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { Segmented } from "#/shared/ui/segmented";
import { Skeleton } from "#/shared/ui/skeleton";
import { PlanCard, type BillingInterval } from "./plan-card";

export function IntervalSwitch({
  value,
  onChange,
}: {
  value: BillingInterval;
  onChange: (interval: BillingInterval) => void;
}) {
  const { t } = useTranslation();
  return (
    <div className="min-w-60 max-sm:w-full">
      <Segmented
        label={t("plans.interval")}
        hideLabel
        value={value}
        onChange={onChange}
        options={[
          { value: "month", label: t("plans.monthly") },
          { value: "year", label: t("plans.yearly") },
        ]}
      />
    </div>
  );
}

export function PlanList({
  interval,
  renderMark,
  renderAction,
  isOwn,
  brief,
}: {
  interval: BillingInterval;
  renderMark?: (plan: Plan) => ReactNode;
  renderAction: (plan: Plan) => ReactNode;
  isOwn?: (plan: Plan) => boolean;
  brief?: boolean;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const catalogue = useQuery(planCatalogueQuery);
  if (catalogue.data) {
    return (
      <ul className="grid gap-4 lg:grid-cols-3">
        {catalogue.data.plans.map((plan) => (
          <PlanCard
            key={plan.tier}
            plan={plan}
            interval={interval}
            mark={renderMark?.(plan)}
            action={renderAction(plan)}
            own={isOwn?.(plan)}
            brief={brief}
          />
        ))}
      </ul>
    );
  }
  if (catalogue.error) {
    return (
      <ErrorPanel
        title={t("plans.loadFailed")}
        reason={errorText(catalogue.error)}
        onRetry={() => void catalogue.refetch()}
        retrying={catalogue.isFetching}
      />
    );
  }
  return (
    <div role="status" className="grid gap-4 lg:grid-cols-3">
      <span className="sr-only">{t("common.loading")}</span>
      {["one", "two", "three"].map((card) => (
        <Skeleton key={card} className={brief ? "h-72" : "h-[30rem]"} />
      ))}
    </div>
  );
}
