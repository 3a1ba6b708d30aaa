import { timestampDate } from "@bufbuild/protobuf/wkt";
import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { companySettingsQuery } from "#/api/company-settings";
import { equipmentSummaryQuery } from "#/api/equipment-summary";
import { useErrorText } from "#/api/error-text";
import { SubscriptionStatus } from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { subscriptionQuery } from "#/api/subscription";
import { usePlanText } from "#/shared/words/plan-text";
import { tierWord } from "#/domain/subscription-words";
import type { TextKey } from "#/i18n/key";
import { key } from "#/i18n/key";
import { useFormat } from "#/shared/format/use-format";
import { Badge } from "#/shared/ui/badge";
import { Button } from "#/shared/ui/button";
import { Card } from "#/shared/ui/card";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { Skeleton } from "#/shared/ui/skeleton";
import { Fact } from "#/shared/ui/fact";

export function CompanyCard() {
  const { t } = useTranslation();
  return (
    <Card
      title={t("profile.company.title")}
      actions={
        <>
          <Button asChild size="small">
            <Link to="/subscription">{t("shell.titles.subscription")}</Link>
          </Button>
          <Button asChild size="small">
            <Link to="/settings">{t("shell.titles.settings")}</Link>
          </Button>
        </>
      }
    >
      <CompanyFacts />
    </Card>
  );
}

function CompanyFacts() {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const format = useFormat();
  const query = useQuery(companySettingsQuery(useTransport()));
  const settings = query.data?.settings;
  if (query.error && !settings) {
    return (
      <ErrorPanel
        title={t("operators.settings.loadFailed")}
        reason={errorText(query.error)}
        onRetry={() => void query.refetch()}
        retrying={query.isFetching}
      />
    );
  }
  // While the settings load, the rows have their final height, so that buttons below don't move.
  return (
    <dl className="grid gap-x-8 gap-y-4 md:grid-cols-2">
      <Fact label={t("profile.companyName")}>{settings?.companyName ?? <LoadingLine />}</Fact>
      <Fact label={t("profile.company.plan")}>
        <PlanFact />
      </Fact>
      <Fact label={t("settings.company.timeZone")}>
        {settings ? zoneText(settings.timeZone) : <LoadingLine />}
      </Fact>
      <Fact label={t("subscription.equipment")}>
        <EquipmentFact />
      </Fact>
      {(!settings || settings.createdAt) && (
        <Fact label={t("profile.company.since")}>
          {settings?.createdAt ? (
            format.instantDay(timestampDate(settings.createdAt))
          ) : (
            <LoadingLine />
          )}
        </Fact>
      )}
      <Fact label={t("operators.settings.operatorPassword")}>
        {settings ? (
          t(settings.operatorPasswordSet ? "operators.settings.isSet" : "operators.settings.notSet")
        ) : (
          <LoadingLine />
        )}
      </Fact>
    </dl>
  );
}

const LoadingLine = () => <Skeleton className="h-[1lh] w-32" />;

export const zoneText = (zone: string) => zone.replaceAll("_", " ").replaceAll("/", " / ");

function PlanFact() {
  const { t } = useTranslation();
  const plans = usePlanText();
  const query = useQuery(subscriptionQuery(useTransport()));
  const entitlements = query.data?.subscription?.entitlements;
  if (query.isPending) return <LoadingLine />;
  // The subscription page explains why the plan can't be loaded.
  if (!entitlements) return t("profile.company.unknown");
  return (
    <span className="flex flex-wrap items-center gap-x-2">
      {plans.name(tierWord(entitlements.tier))}
      <Badge tone={entitlements.active ? "accent" : "neutral"}>
        {t(statusKey(entitlements.status))}
      </Badge>
    </span>
  );
}

function EquipmentFact() {
  const { t } = useTranslation();
  const format = useFormat();
  const query = useQuery(equipmentSummaryQuery(useTransport()));
  if (query.isPending) return <LoadingLine />;
  if (!query.data) return t("profile.company.unknown");
  const { total, equipmentLimit } = query.data;
  return equipmentLimit < 0
    ? t("subscription.inUseUnlimited", { total: format.number(total) })
    : t("subscription.inUse", {
        total: format.number(total),
        limit: format.number(equipmentLimit),
      });
}

function statusKey(status: SubscriptionStatus): TextKey {
  switch (status) {
    case SubscriptionStatus.ACTIVE:
      return key("subscription.status.active");
    case SubscriptionStatus.PAUSED:
      return key("subscription.status.paused");
    case SubscriptionStatus.EXPIRED:
      return key("subscription.status.expired");
    case SubscriptionStatus.CANCELED:
      return key("subscription.status.canceled");
    case SubscriptionStatus.TRIAL:
    default:
      return key("subscription.status.trial");
  }
}
