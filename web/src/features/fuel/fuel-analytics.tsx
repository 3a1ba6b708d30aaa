import { timestampDate } from "@bufbuild/protobuf/wkt";
import { useTransport } from "@connectrpc/connect-query";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { clsx } from "clsx";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import type { GetFuelSummaryResponse } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { useCompanyDay } from "#/shared/use-company-day";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { useFormat } from "#/shared/format/use-format";
import { Button } from "#/shared/ui/button";
import { Card } from "#/shared/ui/card";
import { Empty } from "#/shared/ui/empty";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { Skeleton } from "#/shared/ui/skeleton";
import { ExportFuel } from "./export-fuel";
import { FuelTotals } from "./fuel-totals";
import { MonthChart } from "./month-chart";
import { fuelSummaryQuery } from "./queries";
import { daysBeforeRange, daysOf, sinceReset } from "./range";
import type { FuelRange } from "./range-search";
import { RangeBar } from "./range-bar";
import { ResetFuel } from "./reset-fuel";
import { TopConsumers } from "./top-consumers";

export function FuelAnalytics({
  range,
  onRange,
}: {
  range: FuelRange;
  onRange: (range: FuelRange) => void;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const transport = useTransport();
  const today = useCompanyDay();
  const days = daysOf(range, today);
  // The reset applies to the current period, whatever range is shown.
  const period = useQuery(fuelSummaryQuery(transport, sinceReset));
  const summary = useQuery({
    ...fuelSummaryQuery(transport, days ?? sinceReset),
    enabled: days !== null,
    placeholderData: keepPreviousData,
  });
  const shown = summary.isPlaceholderData ? undefined : summary.data;
  const comparison = useComparison(range, today, shown);
  const description = usePeriodText(period.data, range);
  return (
    <Card
      title={t("fuel.title")}
      description={description}
      actions={
        <>
          <ExportFuel days={days} periodBeganAt={period.data?.periodBeganAt} withConsumption />
          <ResetFuel isEmpty={period.data && period.data.total <= 0} total={period.data?.total} />
        </>
      }
    >
      <div className="space-y-5">
        <RangeBar range={range} onRange={onRange} today={today} />
        {summary.error && (
          <ErrorPanel
            title={t("fuel.failed")}
            reason={errorText(summary.error)}
            onRetry={() => void summary.refetch()}
            retrying={summary.isFetching}
          />
        )}
        {summary.isPending && days && <FuelSkeleton />}
        {summary.data && days && (
          <div
            aria-busy={summary.isPlaceholderData || undefined}
            className={clsx("transition-opacity", summary.isPlaceholderData && "opacity-60")}
          >
            <Figures
              summary={summary.data}
              comparison={comparison}
              filtered={range.fuel !== undefined}
              onShowAll={() =>
                onRange({ fuel: "12-months", fuelFrom: undefined, fuelTo: undefined })
              }
            />
          </div>
        )}
      </div>
    </Card>
  );
}

/** Compares the total with the period before; nothing for an open range or an empty one. */
function useComparison(
  range: FuelRange,
  today: string,
  shown: GetFuelSummaryResponse | undefined,
): string | undefined {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const format = useFormat();
  const days = daysBeforeRange(range, today);
  const before = useQuery({
    ...fuelSummaryQuery(useTransport(), days ?? sinceReset),
    enabled: days !== null,
  });
  if (!days || !before.data || !shown) return undefined;
  const { total } = before.data;
  const from = format.shortDate(days.from, today);
  const period =
    days.from === days.to
      ? t("fuel.compare.day", { day: from })
      : t("fuel.compare.days", { from, to: format.shortDate(days.to, today) });
  if (total <= 0) return t("fuel.compare.none", { period });
  const change = Math.round((shown.total / total - 1) * 100);
  if (change === 0) return t("fuel.compare.same", { period });
  const figures = {
    period,
    percent: format.percent(Math.abs(change)),
    amount: labels.gallons(total),
  };
  return change > 0 ? t("fuel.compare.more", figures) : t("fuel.compare.less", figures);
}

/** Describes the default range. */
function usePeriodText(period: GetFuelSummaryResponse | undefined, range: FuelRange): string {
  const { t } = useTranslation();
  const format = useFormat();
  if (range.fuel !== undefined || !period) return t("fuel.text");
  return period.periodBeganAt
    ? t("fuel.since", { date: format.instantDay(timestampDate(period.periodBeganAt)) })
    : t("fuel.neverReset");
}

function Figures({
  summary,
  comparison,
  filtered,
  onShowAll,
}: {
  summary: GetFuelSummaryResponse;
  comparison: string | undefined;
  filtered: boolean;
  onShowAll: () => void;
}) {
  const { t } = useTranslation();
  const reset = summary.periodBeganAt !== undefined;
  if (summary.total <= 0) {
    return (
      <Empty
        drawing="fuel"
        title={
          filtered
            ? t("fuel.empty.noMatch")
            : reset
              ? t("fuel.empty.sinceReset")
              : t("fuel.empty.nothing")
        }
        description={
          filtered
            ? t("fuel.empty.noMatchText")
            : reset
              ? t("fuel.empty.sinceResetText")
              : t("fuel.empty.nothingText")
        }
        action={
          !filtered && reset ? (
            <Button onClick={onShowAll}>{t("fuel.empty.showYear")}</Button>
          ) : undefined
        }
      />
    );
  }
  return (
    <div className="@container space-y-6">
      <FuelTotals summary={summary} comparison={comparison} />
      <div className="grid gap-x-8 gap-y-6 @min-[54rem]:grid-cols-[minmax(0,1.45fr)_minmax(0,1fr)]">
        <MonthChart months={summary.byMonth} />
        <TopConsumers consumers={summary.byEquipment} />
      </div>
    </div>
  );
}

function FuelSkeleton() {
  const { t } = useTranslation();
  return (
    <div role="status" className="space-y-5">
      <span className="sr-only">{t("common.loading")}</span>
      <Skeleton className="h-16 w-full" />
      <Skeleton className="h-56 w-full" />
    </div>
  );
}
