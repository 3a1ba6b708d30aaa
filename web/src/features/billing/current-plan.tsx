import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { Check, Minus, TriangleAlert } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import type { Subscription } from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { subscriptionQuery } from "#/api/subscription";
import { usePlanText } from "#/shared/words/plan-text";
import { paidInterval, statusWord, tierWord } from "#/domain/subscription-words";
import { Badge } from "#/shared/ui/badge";
import { Card } from "#/shared/ui/card";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { Skeleton } from "#/shared/ui/skeleton";
import { EquipmentInUse } from "./equipment-in-use";
import { PlanActions } from "./plan-actions";
import { usePrice } from "./use-price";
import { useSubscriptionState } from "./use-subscription-state";

export function CurrentPlan() {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const query = useQuery(subscriptionQuery(useTransport()));
  const subscription = query.data?.subscription;
  return (
    <Card title={t("subscription.current")}>
      {query.isPending && (
        <div role="status">
          <span className="sr-only">{t("common.loading")}</span>
          <Skeleton className="h-36 w-full" />
        </div>
      )}
      {query.error && !subscription && (
        <ErrorPanel
          title={t("subscription.loadFailed")}
          reason={errorText(query.error)}
          onRetry={() => void query.refetch()}
          retrying={query.isFetching}
        />
      )}
      {subscription && (
        <>
          <div className="grid gap-x-10 gap-y-6 lg:grid-cols-[1.3fr_1fr_1fr]">
            <SubscriptionState subscription={subscription} />
            <EquipmentInUse />
            <Premium subscription={subscription} />
          </div>
          <PlanActions subscription={subscription} />
        </>
      )}
    </Card>
  );
}

function SubscriptionState({ subscription }: { subscription: Subscription }) {
  const { t } = useTranslation();
  const plan = usePlanText();
  const state = useSubscriptionState()(subscription);
  const price = usePrice()(subscription);
  const active = subscription.entitlements?.active ?? false;
  const status = statusWord(subscription.entitlements?.status ?? 0);
  return (
    <div>
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="text-title font-[650]">
          {plan.name(tierWord(subscription.entitlements?.tier ?? 0))}
        </span>
        <Badge
          tone={active && !state.alarming ? "accent" : "neutral"}
          icon={state.alarming && <TriangleAlert aria-hidden className="size-3.5 text-danger" />}
        >
          {state.label}
        </Badge>
      </p>
      {price && (active || status === "paused") && (
        <p className="mt-1 font-semibold">
          {price}
          <span className="font-normal text-muted">
            {" · "}
            {paidInterval(subscription) === "year"
              ? t("subscription.paidYearly")
              : t("subscription.paidMonthly")}
          </span>
        </p>
      )}
      <p className="mt-2 max-w-prose">{state.text}</p>
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
