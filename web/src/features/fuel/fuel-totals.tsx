import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { GetFuelSummaryResponse } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { Swatch } from "./swatch";

/** Total fuel and its two kinds; their swatches are the legend of the chart below. */
export function FuelTotals({
  summary,
  comparison,
}: {
  summary: GetFuelSummaryResponse;
  comparison: string | undefined;
}) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  return (
    <dl className="grid grid-cols-2 gap-px overflow-hidden rounded-card border border-line bg-line @min-[36rem]:grid-cols-3">
      <Figure label={t("fuel.total")} note={comparison} wide>
        {labels.gallons(summary.total)}
      </Figure>
      <Figure label={t("labels.fuelKinds.gas")} mark={<Swatch kind="gas" />}>
        {labels.gallons(summary.gas)}
      </Figure>
      <Figure label={t("labels.fuelKinds.diesel")} mark={<Swatch kind="diesel" />}>
        {labels.gallons(summary.diesel)}
      </Figure>
    </dl>
  );
}

function Figure({
  label,
  mark,
  note,
  wide = false,
  children,
}: {
  label: string;
  mark?: ReactNode;
  note?: string | undefined;
  wide?: boolean;
  children: ReactNode;
}) {
  return (
    <div
      className={
        wide
          ? "col-span-2 bg-raised px-2.5 py-3 @min-[20rem]:px-4 @min-[36rem]:col-span-1"
          : "bg-raised px-2.5 py-3 @min-[20rem]:px-4"
      }
    >
      <dt className="flex items-center gap-2 text-sm text-muted">
        {mark}
        {label}
      </dt>
      <dd className="mt-1 font-semibold @min-[20rem]:text-lg @min-[20rem]:whitespace-nowrap @min-[36rem]:font-figures @min-[36rem]:text-title">
        {children}
      </dd>
      {note && <dd className="mt-0.5 text-sm text-muted">{note}</dd>}
    </div>
  );
}
