import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { equipmentSummaryQuery } from "#/api/equipment-summary";
import { useErrorText } from "#/api/error-text";
import type { GetSummaryResponse } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { byChoice, choiceOf, type EquipmentFilter } from "#/domain/equipment-filter";
import { useLimitText } from "#/shared/words/use-limit-text";
import { LimitNotice } from "#/shared/plans/limit-notice";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { PageHeader } from "#/shared/ui/page-header";
import { FilterBar } from "./filter-bar";
import { StatusTiles } from "./status-tiles";

export function DashboardPage({
  filter,
  onFilter,
  addButton,
  exportButton,
  firstSteps,
  waiting,
  overview,
  updates,
}: {
  filter: EquipmentFilter;
  /** Merges these values into the filter. */
  onFilter: (change: EquipmentFilter) => void;
  /** From the equipment feature. */
  addButton: ReactNode;
  /** The export, from the equipment feature. */
  exportButton: ReactNode;
  /** Of a new company. */
  firstSteps: ReactNode;
  /** The number of waiting updates, from the updates feature. */
  waiting: ReactNode;
  /** The Equipment Overview, from the equipment feature. */
  overview: ReactNode;
  /** Operator updates, from the updates feature, and the history. */
  updates: ReactNode;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const summary = useQuery(equipmentSummaryQuery(useTransport()));
  const limit = useLimitText(summary.data);
  return (
    <>
      <PageHeader
        title={t("shell.titles.dashboard")}
        description={
          summary.data ? (
            <InUse summary={summary.data} />
          ) : summary.isPending ? (
            t("dashboard.counting")
          ) : undefined
        }
      />
      <div data-in-order className="space-y-5">
        {summary.error && (
          <ErrorPanel
            title={t("dashboard.summaryFailed")}
            reason={errorText(summary.error)}
            onRetry={() => void summary.refetch()}
            retrying={summary.isFetching}
          />
        )}
        {firstSteps}
        <StatusTiles
          summary={summary.data}
          loading={summary.isPending}
          waiting={waiting}
          active={choiceOf(filter)}
          onSelect={(choice) => onFilter(byChoice(choice))}
        />
        {limit && <LimitNotice tone="info" text={limit} />}
        <FilterBar
          filter={filter}
          onFilter={onFilter}
          exportButton={exportButton}
          addButton={addButton}
        />
        {overview}
        {updates}
      </div>
    </>
  );
}

function InUse({ summary }: { summary: GetSummaryResponse }) {
  const { t } = useTranslation();
  const { total, equipmentLimit } = summary;
  return equipmentLimit < 0
    ? t("dashboard.inUseUnlimited", { count: total })
    : t("dashboard.inUse", { count: equipmentLimit, total });
}
