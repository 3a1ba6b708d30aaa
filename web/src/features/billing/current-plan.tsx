import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { Check, Minus } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import type { Subscription } from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { subscriptionQuery } from "#/api/subscription";
import { usePlanText } from "#/domain/plan-text";
import { Badge } from "#/shared/ui/badge";
import { Card } from "#/shared/ui/card";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { Skeleton } from "#/shared/ui/skeleton";
import { EquipmentInUse } from "./equipment-in-use";
import { useStanding } from "./use-standing";
import { tierWord } from "#/domain/subscription-words";

/** What the company has now: the plan, where it stands, how much of it is used, what is in it. */
export function CurrentPlan() {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const query = useQuery(subscriptionQuery(useTransport()));
  const subscription = query.data?.subscription;
  return (
    <Card title={t("subscription.current")}>
      {query.isPending && <Skeleton className="h-28 w-full" />}
      {query.error && !subscription && (
        <ErrorPanel
          title={t("subscription.loadFailed")}
          reason={errorText(query.error)}
          onRetry={() => void query.refetch()}
          retrying={query.isFetching}
        />
      )}
      {subscription && (
        <div className="grid gap-x-10 gap-y-6 lg:grid-cols-3">
          <Standing subscription={subscription} />
          <EquipmentInUse />
          <Premium subscription={subscription} />
        </div>
      )}
    </Card>
  );
}

function Standing({ subscription }: { subscription: Subscription }) {
  const { t } = useTranslation();
  const plan = usePlanText();
  const standing = useStanding()(subscription);
  const { billingInterval } = subscription;
  return (
    <div>
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="text-title font-[650]">
          {plan.name(tierWord(subscription.entitlements?.tier ?? 0))}
        </span>
        <Badge tone={subscription.entitlements?.active ? "accent" : "neutral"}>
          {standing.label}
        </Badge>
      </p>
      <p className="mt-1.5">{standing.text}</p>
      {billingInterval && (
        <p className="mt-1 text-sm text-muted">
          {billingInterval === "year"
            ? t("subscription.paidYearly")
            : t("subscription.paidMonthly")}
        </p>
      )}
    </div>
  );
}

function Premium({ subscription }: { subscription: Subscription }) {
  const { t } = useTranslation();
  const text = usePlanText();
  const { entitlements } = subscription;
  const features = [
    { key: "fuel_analytics", open: entitlements?.fuelAnalytics ?? false },
    { key: "parts_entry", open: entitlements?.partsEntry ?? false },
  ];
  return (
    <div>
      <h3 className="font-semibold">{t("subscription.premium")}</h3>
      <ul className="mt-2 space-y-1.5">
        {features.map((feature) => {
          const Icon = feature.open ? Check : Minus;
          return (
            <li key={feature.key} className={`flex gap-2.5 ${feature.open ? "" : "text-muted"}`}>
              <Icon aria-hidden className="mt-1 size-4 shrink-0 text-accent" />
              <span>
                {text.feature(feature.key)}
                <span className="sr-only">
                  {": "}
                  {feature.open ? t("plans.included") : t("plans.notIncluded")}
                </span>
              </span>
            </li>
          );
        })}
      </ul>
      {features.some((feature) => !feature.open) && (
        <p className="mt-2 text-sm text-muted">{t("subscription.premiumHint")}</p>
      )}
    </div>
  );
}
