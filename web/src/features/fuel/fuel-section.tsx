import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { subscriptionQuery } from "#/api/subscription";
import { statusWord, tierWord } from "#/domain/subscription-words";
import { Card } from "#/shared/ui/card";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { Skeleton } from "#/shared/ui/skeleton";
import { FuelAnalytics } from "./fuel-analytics";
import { FuelPreview } from "./fuel-preview";
import { FuelRecords } from "./fuel-records";
import type { FuelRange } from "./range-search";
import { UpgradeBanner } from "./upgrade-banner";

/** Fuel analytics if the plan includes it; otherwise the upgrade banner and what every plan has. */
export function FuelSection(props: { range: FuelRange; onRange: (range: FuelRange) => void }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const subscription = useQuery(subscriptionQuery(useTransport()));
  const entitlements = subscription.data?.subscription?.entitlements;
  if (entitlements?.fuelAnalytics) return <FuelAnalytics {...props} />;
  if (entitlements) {
    const isPaused =
      statusWord(entitlements.status) === "paused" && tierWord(entitlements.tier) !== "basic";
    return (
      <>
        <UpgradeBanner isPaused={isPaused} />
        <FuelPreview />
        <FuelRecords />
      </>
    );
  }
  return (
    <Card title={t("fuel.title")}>
      {subscription.error ? (
        <ErrorPanel
          title={t("fuel.gateFailed")}
          reason={errorText(subscription.error)}
          onRetry={() => void subscription.refetch()}
          retrying={subscription.isFetching}
        />
      ) : (
        <div role="status">
          <span className="sr-only">{t("common.loading")}</span>
          <Skeleton className="h-24 w-full" />
        </div>
      )}
    </Card>
  );
}
