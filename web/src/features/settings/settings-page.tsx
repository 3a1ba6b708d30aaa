import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { companySettingsQuery } from "#/api/company-settings";
import { useErrorText } from "#/api/error-text";
import { useSession } from "#/session/session";
import { Card } from "#/shared/ui/card";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { PageHeader } from "#/shared/ui/page-header";
import { SkeletonRows } from "#/shared/ui/skeleton";
import { CompanyCard } from "./company-card";
import { DataCard } from "./data-card";
import { DisplayCard } from "./display-card";
import { EquipmentCard } from "./equipment-card";
import { OperatorsCard } from "./operators-card";
import { SectionLinks } from "./section-links";
import { SecurityCard, useSecondFactor } from "./security-card";

export function SettingsPage() {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const query = useQuery(companySettingsQuery(useTransport()));
  const settings = query.data?.settings;
  const isOwner = useSession()?.role === "owner";
  const factor = useSecondFactor(isOwner);
  const hasData = settings && (isOwner || settings.deletionDueAt);
  const sections = [
    ...(settings
      ? [
          { id: "company", title: t("settings.company.title") },
          { id: "operators", title: t("shell.titles.operators") },
          { id: "equipment", title: t("settings.equipment.title") },
          ...(factor ? [{ id: "security", title: t("second-factor.require.title") }] : []),
        ]
      : []),
    { id: "display", title: t("settings.display.title") },
    ...(hasData ? [{ id: "data", title: t("settings.data.title") }] : []),
  ];
  return (
    <div className="mx-auto max-w-3xl lg:max-w-5xl">
      <PageHeader title={t("shell.titles.settings")} description={t("settings.subtitle")} />
      <div className="items-start gap-x-10 lg:grid lg:grid-cols-[13rem_minmax(0,1fr)]">
        <SectionLinks sections={sections} />
        <div className="space-y-5">
          {query.isPending && (
            <Card flush>
              <SkeletonRows rows={4} label={t("common.loading")} />
            </Card>
          )}
          {query.error && !settings && (
            <ErrorPanel
              title={t("operators.settings.loadFailed")}
              reason={errorText(query.error)}
              onRetry={() => void query.refetch()}
              retrying={query.isFetching}
            />
          )}
          {settings && (
            <>
              <CompanyCard settings={settings} />
              <OperatorsCard settings={settings} />
              <EquipmentCard settings={settings} />
              {factor && <SecurityCard factor={factor} />}
            </>
          )}
          <DisplayCard />
          {settings && <DataCard settings={settings} isOwner={isOwner} />}
        </div>
      </div>
    </div>
  );
}
