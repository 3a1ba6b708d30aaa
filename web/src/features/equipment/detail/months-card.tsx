import { Link } from "@tanstack/react-router";
import { clsx } from "clsx";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { equipmentFuelWord } from "#/domain/equipment-wire";
import { useFormat } from "#/shared/format/use-format";
import { Card } from "#/shared/ui/card";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { Skeleton } from "#/shared/ui/skeleton";
import { Chart, height, niceStep, round, width } from "./chart";
import { total, type MonthFigures } from "./month-figures";
import { MonthTable } from "./month-table";
import { useMeasures, useMonthFigures, type Measure } from "./use-month-figures";

/** Cost and fuel of the last twelve months, drawn and as a table. */
export function MonthsCard({ equipment }: { equipment: Equipment }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const { figures, hasAnalytics, error, retry, retrying } = useMonthFigures(equipment.id);
  return (
    <Card
      title={t("equipment-detail.months.title")}
      description={t("equipment-detail.months.period")}
    >
      {figures ? (
        <Figures figures={figures} equipment={equipment} hasAnalytics={hasAnalytics} />
      ) : error ? (
        <ErrorPanel
          title={t("equipment-detail.months.failed")}
          reason={errorText(error)}
          onRetry={retry}
          retrying={retrying}
        />
      ) : (
        <Skeleton growing className="h-40 w-full" />
      )}
    </Card>
  );
}

function Figures({
  figures,
  equipment,
  hasAnalytics,
}: {
  figures: readonly MonthFigures[];
  equipment: Equipment;
  hasAnalytics: boolean;
}) {
  const { t } = useTranslation();
  const measures = useMeasures(figures);
  const hasCost = measures.some(({ id }) => id === "cents");
  const hasFuel = measures.some(({ id }) => id !== "cents");
  const usesFuel = equipmentFuelWord(equipment.fuel) !== "n/a" || equipment.totalFuelUsed > 0;
  return (
    <div className="space-y-5">
      {measures.length > 0 && (
        <div className="grid grid-cols-[minmax(0,1fr)] gap-x-8 gap-y-5 md:grid-cols-[minmax(0,1fr)_auto]">
          <div className="grid content-start gap-6">
            {measures.map((measure) => (
              <MonthBars key={measure.id} figures={figures} measure={measure} />
            ))}
          </div>
          <MonthTable figures={figures} measures={measures} />
        </div>
      )}
      {!hasCost && (
        <p className="text-muted">
          {t("equipment-detail.months.noCost")} {t("equipment-detail.months.noCostHint")}
        </p>
      )}
      {!hasFuel && usesFuel && hasAnalytics && (
        <p className="text-muted">{t("equipment-detail.months.noFuel")}</p>
      )}
      {usesFuel && !hasAnalytics && (
        <p className="text-sm text-muted">
          {t("equipment-detail.fuel.upgradeTitle")}{" "}
          <Link
            to="/subscription"
            className="rounded-control font-semibold text-accent hover:underline"
          >
            {t("equipment-detail.fuel.upgrade")}
          </Link>
        </p>
      )}
    </div>
  );
}

const fills: Record<Measure["id"], string> = {
  cents: "fill-accent",
  gas: "fill-gas",
  diesel: "fill-diesel",
};

/** One figure as bars from zero; the table beside them has the same figures as text. */
function MonthBars({
  figures,
  measure: { id, label, of, text },
}: {
  figures: readonly MonthFigures[];
  measure: Measure;
}) {
  const { t } = useTranslation();
  const format = useFormat();
  const most = Math.max(...figures.map(of));
  const step = niceStep(most / 4);
  const top = Math.ceil(most / step) * step;
  const slot = width / figures.length;
  const first = figures[0]?.month ?? "";
  const last = figures.at(-1)?.month ?? "";
  return (
    <figure className="m-0">
      <figcaption className="mb-2 flex justify-between gap-3 font-semibold">
        <span>{label}</span>
        <span>{text(total(figures, of))}</span>
      </figcaption>
      <Chart
        top={id === "cents" ? format.money(top) : format.number(top)}
        bottom={id === "cents" ? format.money(0) : format.number(0)}
        label={t("equipment-detail.months.summary", {
          label,
          from: format.monthYear(first),
          to: format.monthYear(last),
          amount: text(total(figures, of)),
        })}
        below={figures.map(({ month }, index) => (
          <span
            key={month}
            className={clsx(
              "flex min-w-0 flex-1 justify-center whitespace-nowrap",
              index % 2 === 0 && "max-sm:invisible",
            )}
          >
            {format.month(month)}
          </span>
        ))}
      >
        {figures.map((row, index) => {
          const size = round((of(row) / top) * height);
          return (
            size > 0 && (
              <rect
                key={row.month}
                x={round((index + 0.2) * slot)}
                y={height - size}
                width={round(slot * 0.6)}
                height={size}
                className={fills[id]}
              />
            )
          );
        })}
      </Chart>
    </figure>
  );
}
