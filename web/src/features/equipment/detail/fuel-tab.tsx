import { useTransport } from "@connectrpc/connect-query";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Lock } from "lucide-react";
import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Equipment, HistoryRecord } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { subscriptionQuery } from "#/api/subscription";
import { equipmentFuelWord, unitWord } from "#/domain/equipment-wire";
import type { EquipmentFuelWord } from "#/domain/equipment-words";
import { useConsumptionText } from "#/shared/words/consumption-text";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { useFormat } from "#/shared/format/use-format";
import { SelectionBar, StartSelection } from "#/shared/table/selection-bar";
import { listSelection } from "#/shared/table/use-list-selection";
import { Button } from "#/shared/ui/button";
import { Card } from "#/shared/ui/card";
import { Empty } from "#/shared/ui/empty";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { Skeleton } from "#/shared/ui/skeleton";
import { useZoneNote } from "#/shared/use-zone-note";
import { Figure } from "./detail-header";
import { ExportButton } from "./export-button";
import { FuelMonths } from "./fuel-months";
import { fuelSummaryQuery, historyPagesQuery } from "./queries";
import { PagedList, Records } from "./record-list";
import { useHistoryExport } from "./use-history-export";
import { useRecordWords } from "./use-record-words";

const useListSelection = listSelection<HistoryRecord>();
const none: readonly HistoryRecord[] = [];

export function FuelTab({ equipment }: { equipment: Equipment }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const subscription = useQuery(subscriptionQuery(useTransport()));
  const entitlements = subscription.data?.subscription?.entitlements;
  return (
    <div data-in-order className="space-y-5">
      {subscription.isPending && <Skeleton growing className="h-24 w-full" />}
      {subscription.error && !entitlements && (
        <ErrorPanel
          title={t("equipment-detail.fuel.planUnknown")}
          reason={errorText(subscription.error)}
          onRetry={() => void subscription.refetch()}
          retrying={subscription.isFetching}
        />
      )}
      {!subscription.isPending &&
        (entitlements?.fuelAnalytics ? (
          <Analytics equipment={equipment} />
        ) : (
          <>
            <Totals
              tank={equipmentFuelWord(equipment.fuel)}
              total={equipment.totalFuelUsed}
              gas={equipment.totalGasUsed}
              diesel={equipment.totalDieselUsed}
            />
            {entitlements && <Upgrade />}
          </>
        ))}
      <Entries equipment={equipment} analytics={entitlements?.fuelAnalytics === true} />
    </div>
  );
}

function Analytics({ equipment }: { equipment: Equipment }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const format = useFormat();
  const consumptionText = useConsumptionText();
  const query = useQuery(fuelSummaryQuery(useTransport(), equipment.id));
  const summary = query.data;
  if (query.isPending) return <Skeleton growing className="h-24 w-full" />;
  if (!summary) {
    return (
      <ErrorPanel
        title={t("equipment-detail.fuel.failed")}
        reason={errorText(query.error)}
        onRetry={() => void query.refetch()}
        retrying={query.isFetching}
      />
    );
  }
  const use = summary.byEquipment.find((row) => row.equipmentId === equipment.id);
  return (
    <>
      <Totals
        tank={equipmentFuelWord(equipment.fuel)}
        total={summary.total}
        gas={summary.gas}
        diesel={summary.diesel}
        since={
          summary.periodBeganAt &&
          t("equipment-detail.fuel.since", {
            date: format.instantDay(timestampDate(summary.periodBeganAt)),
          })
        }
        consumption={
          unitWord(equipment.unit) === "n/a"
            ? undefined
            : ((use && consumptionText(use)) ?? {
                amount: t("equipment-detail.fuel.perUnitUnknown"),
                basis: "",
              })
        }
      />
      {summary.byMonth.length > 0 && <FuelMonths months={summary.byMonth} />}
    </>
  );
}

/** The totals; a fuel that the machine does not use is shown only if some was recorded. */
function Totals({
  tank,
  total,
  gas,
  diesel,
  since,
  consumption,
}: {
  tank: EquipmentFuelWord;
  total: number;
  gas: number;
  diesel: number;
  since?: string | undefined;
  consumption?: { amount: string; basis: string } | undefined;
}) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const value = "font-figures text-lg font-semibold whitespace-nowrap sm:text-figure";
  return (
    <dl
      className={`grid grid-cols-2 rounded-card border border-line bg-raised lg:auto-cols-fr lg:grid-flow-col lg:grid-cols-none lg:divide-x lg:divide-line`}
    >
      <Figure label={t("equipment-detail.fuel.total")}>
        <p className={value}>{labels.gallons(total)}</p>
        {since && <p className="text-sm text-muted">{since}</p>}
      </Figure>
      {(gas > 0 || tank !== "diesel") && (
        <Figure label={t("labels.fuelKinds.gas")}>
          <p className={value}>{labels.gallons(gas)}</p>
        </Figure>
      )}
      {(diesel > 0 || tank !== "gasoline") && (
        <Figure label={t("labels.fuelKinds.diesel")}>
          <p className={value}>{labels.gallons(diesel)}</p>
        </Figure>
      )}
      {consumption && (
        <Figure label={t("fuel.csv.consumption")}>
          <p className={value}>{consumption.amount}</p>
          {consumption.basis && <p className="text-sm text-muted">{consumption.basis}</p>}
        </Figure>
      )}
    </dl>
  );
}

function Upgrade() {
  const { t } = useTranslation();
  return (
    <div className="no-print flex flex-wrap items-center gap-x-4 gap-y-3 rounded-card border border-line bg-accent-soft p-4 md:px-5">
      <Lock aria-hidden className="size-5 shrink-0 text-accent" />
      <div className="min-w-0 flex-1 basis-64">
        <p className="font-semibold">{t("equipment-detail.fuel.upgradeTitle")}</p>
        <p className="text-sm">{t("equipment-detail.fuel.upgradeText")}</p>
      </div>
      <Button asChild variant="primary">
        <Link to="/subscription">{t("equipment-detail.fuel.upgrade")}</Link>
      </Button>
    </div>
  );
}

function Entries({ equipment, analytics }: { equipment: Equipment; analytics: boolean }) {
  const { t } = useTranslation();
  const transport = useTransport();
  const summary = useQuery({
    ...fuelSummaryQuery(transport, equipment.id),
    enabled: analytics,
  });
  const unusual = summary.data?.byEquipment.flatMap(
    (row) => row.consumption?.unusualEntryIds ?? [],
  );
  const choice = { equipmentId: equipment.id, fuelOnly: true };
  const pages = useInfiniteQuery(historyPagesQuery(transport, choice));
  const records = pages.data?.pages.flatMap((page) => page.records);
  const exporting = useHistoryExport(choice);
  const zoneNote = useZoneNote();
  const words = useRecordWords();
  const selection = useListSelection(
    records ?? none,
    useCallback(
      (record) => [words.fuel(record), words.happened(record)].filter(Boolean).join(" · "),
      [words],
    ),
  );
  const chosen = selection.chosen.filter(({ id }) => records?.some((row) => row.id === id));
  const count = chosen.length;
  return (
    <Card
      flush
      title={t("equipment-detail.fuel.entries")}
      description={zoneNote}
      actions={
        <>
          <StartSelection size="small" selection={selection} rows={records} />
          <ExportButton {...exporting} />
        </>
      }
    >
      <div className="border-t border-line">
        {selection.column && records && (
          <SelectionBar
            selection={selection}
            count={count}
            matching={records.length}
            text={
              count > 0
                ? t("equipment-detail.fuel.selected", { count })
                : t("equipment-detail.fuel.selectAll", { count: records.length })
            }
          >
            <ExportButton
              run={() => exporting.runFor(chosen)}
              pending={exporting.pending}
              disabledReason={count === 0 ? t("equipment-detail.fuel.selectOne") : undefined}
            />
          </SelectionBar>
        )}
        <PagedList
          pages={pages}
          count={records?.length}
          failed={t("equipment-detail.fuel.failed")}
          empty={
            <Empty
              drawing="fuel"
              title={t("equipment-detail.fuel.empty")}
              description={t("equipment-detail.fuel.emptyText")}
            />
          }
        >
          <Records
            label={t("equipment-detail.fuel.entries")}
            records={records ?? []}
            equipment={equipment}
            unusual={unusual}
            selectBox={selection.box}
          />
        </PagedList>
      </div>
    </Card>
  );
}
