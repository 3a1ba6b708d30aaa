import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { HistoryKind, type Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { unitWord } from "#/domain/equipment-wire";
import { roundUsual } from "#/shared/words/meter-text";
import { useUpdateText } from "#/shared/words/update-text";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { useCompanyDay } from "#/shared/use-company-day";
import { useFormat } from "#/shared/format/use-format";
import { Card } from "#/shared/ui/card";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { Segmented } from "#/shared/ui/segmented";
import { Skeleton } from "#/shared/ui/skeleton";
import { useSegments } from "../meters/queries";
import { useSeveralMeters } from "../meters/several-meters";
import { latestHistoryQuery } from "./queries";
import { snoozeOf } from "./snoozed";
import { TrendChart } from "./trend-chart";
import { trendRanges, type TrendRange } from "./search";
import {
  inRange,
  pacePerDay,
  projectionOf,
  readingsOf,
  servicesOf,
  sinceUnit,
  startOf,
  startOfUnit,
  type Reading,
} from "./trend";

const kinds = [HistoryKind.USAGE, HistoryKind.METER, HistoryKind.SERVICE, HistoryKind.EDIT];
/** The server's largest page. */
const entries = 500;

export function UsageTrend({
  equipment,
  range,
  onRange,
}: {
  equipment: Equipment;
  range: TrendRange | undefined;
  onRange: (range: TrendRange | undefined) => void;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const choice = { equipmentId: equipment.id, kinds };
  const history = useQuery(latestHistoryQuery(useTransport(), choice, entries));
  const [now] = useState(() => Date.now());
  const meters = useSegments(equipment.id).data?.segments ?? [];
  const records = history.data?.records ?? [];
  const inUnit = sinceUnit(records, equipment.unit);
  const isUnitChanged = inUnit.length < records.length;
  const start = () => {
    if (isUnitChanged || equipment.unitSince) return startOfUnit(equipment, inUnit);
    return startOf(meters.at(-1), inUnit);
  };
  // Later entries than the start may fill the page.
  const isComplete = isUnitChanged || records.length < entries;
  const all = history.data && readingsOf(inUnit, isComplete ? start() : []);
  const readings = all && inRange(all, range, now);
  const services = inRange(servicesOf(records), range, now);
  return (
    <Card
      title={t("equipment-detail.trend.title")}
      actions={all && all.length > 1 && <RangeChoice range={range} onRange={onRange} />}
    >
      {history.error && !readings && (
        <ErrorPanel
          title={t("equipment-detail.history.failed")}
          reason={errorText(history.error)}
          onRetry={() => void history.refetch()}
          retrying={history.isFetching}
        />
      )}
      {history.isPending && <Skeleton growing className="h-40 w-full" />}
      {readings &&
        (readings.length < 2 ? (
          <p className="text-muted">
            {range ? t("equipment-detail.trend.tooFewInRange") : t("equipment-detail.trend.tooFew")}
          </p>
        ) : (
          <Readings readings={readings} services={services} equipment={equipment} />
        ))}
      {isUnitChanged && (
        <p className="mt-3 text-sm text-muted">{t("equipment-detail.trend.sinceUnit")}</p>
      )}
    </Card>
  );
}

function RangeChoice({
  range,
  onRange,
}: {
  range: TrendRange | undefined;
  onRange: (range: TrendRange | undefined) => void;
}) {
  const { t } = useTranslation();
  return (
    <div className="no-print">
      <Segmented
        label={t("equipment-detail.trend.range")}
        hideLabel
        compact
        value={range ?? "all"}
        options={[
          { value: "30d", label: t("equipment-detail.trend.days", { count: 30 }) },
          { value: "90d", label: t("equipment-detail.trend.days", { count: 90 }) },
          { value: "1y", label: t("equipment-detail.trend.year") },
          { value: "all", label: t("equipment-detail.trend.all") },
        ]}
        onChange={(next) => onRange(trendRanges.find((known) => known === next))}
      />
    </div>
  );
}

function Readings({
  readings,
  services,
  equipment,
}: {
  readings: Reading[];
  services: ReadonlyArray<{ id: string; at: number }>;
  equipment: Equipment;
}) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const format = useFormat();
  const several = useSeveralMeters();
  const today = useCompanyDay();
  const unit = unitWord(equipment.unit);
  const first = readings[0];
  const last = readings.at(-1);
  if (!first || !last) return null;
  const span = {
    from: format.instantDay(new Date(first.at)),
    to: format.instantDay(new Date(last.at)),
    first: labels.amount(first.usage, unit),
    last: labels.amount(last.usage, unit),
  };
  const due = equipment.urgentTask?.nextDueUsage ?? equipment.nextServiceDueUsage;
  const projection = projectionOf(equipment, today);
  // A projection further away than the readings would flatten their line.
  const isNear = projection !== null && projection.at - last.at <= last.at - first.at;
  return (
    <div className="space-y-3">
      <Pace readings={readings} equipment={equipment} />
      {several && <p className="text-sm text-muted">{t("equipment-meters.trend.text")}</p>}
      <TrendChart
        readings={readings}
        services={services.filter(({ at }) => at >= first.at)}
        projection={isNear ? projection : null}
        dueAt={due}
        label={
          several
            ? t("equipment-meters.trend.summary", span)
            : t("equipment-detail.trend.summary", span)
        }
      />
      <details className="no-print">
        <summary className="w-fit rounded-control py-1 text-sm font-semibold text-accent">
          {t("equipment-detail.trend.asTable")}
        </summary>
        <div
          className="mt-2 max-h-72 overflow-y-auto"
          role="region"
          tabIndex={0}
          aria-label={t("equipment-detail.trend.asTable")}
        >
          <table className="w-full text-sm">
            <thead>
              <tr className="text-left text-xs text-muted">
                <th scope="col" className="py-1.5 font-semibold">
                  {t("equipment-detail.csv.date")}
                </th>
                <th scope="col" className="py-1.5 text-right font-semibold">
                  {several ? t("equipment-meters.life") : t("equipment-detail.trend.reading")}
                </th>
              </tr>
            </thead>
            <tbody>
              {readings.toReversed().map((reading) => (
                <tr key={reading.id} className="border-t border-line">
                  <td className="py-1.5">
                    {format.instant(new Date(reading.at))}
                    {reading.newMeter && (
                      <span className="text-muted"> · {t("equipment-meters.trend.mark")}</span>
                    )}
                  </td>
                  <td className="py-1.5 text-right">{labels.amount(reading.usage, unit)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </div>
  );
}

/** "Usually 6.2 h on a day of use." or "About 8.2 hours a day.", then "At this pace, service around Jan 5, 2025." */
function Pace({ readings, equipment }: { readings: Reading[]; equipment: Equipment }) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const format = useFormat();
  const text = useUpdateText();
  const today = useCompanyDay();
  const usual = equipment.usualDailyUse;
  const pace = usual ?? pacePerDay(readings);
  if (pace === null) return null;
  const { projectedDueDate: date, projectedDueTask: due } = equipment;
  const task = due?.name || t("equipment-detail.tasks.regular");
  return (
    <p>
      <span className="font-semibold">
        {usual === undefined
          ? t("equipment-detail.trend.pace", {
              amount: labels.amount(
                roundUsual(pace, unitWord(equipment.unit)),
                unitWord(equipment.unit),
              ),
            })
          : t("equipment-meters.usually", {
              amount: text.usual(usual, equipment.unit),
            })}
      </span>{" "}
      {due && !due.byCalendar && !snoozeOf(equipment) && date > today && (
        <span className="text-muted">
          {t("equipment-detail.trend.forecast", { task, date: format.calendarDate(date) })}
        </span>
      )}
    </p>
  );
}
