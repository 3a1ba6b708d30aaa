import { useTranslation } from "react-i18next";
import type { MonthFuelUse } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { useFormat } from "#/shared/format/use-format";
import { Card } from "#/shared/ui/card";

/** The maximum number of months. */
const shown = 12;

export function FuelMonths({ months }: { months: readonly MonthFuelUse[] }) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const latest = months.slice(-shown).toReversed();
  const maxTotal = Math.max(...latest.map((month) => month.gas + month.diesel), 1);
  const format = useFormat();
  const width = (amount: number) => ({ width: `${(amount / maxTotal) * 100}%` });
  return (
    <Card title={t("equipment-detail.fuel.byMonth")}>
      <ul className="grid grid-cols-[auto_1fr_auto] gap-x-4 gap-y-2">
        {latest.map((month) => (
          <li key={month.month} className="col-span-3 grid grid-cols-subgrid items-center text-sm">
            <span className="text-muted">{format.month(month.month)}</span>
            <span aria-hidden className="flex h-4 overflow-hidden rounded-control bg-sunken">
              <span className="bg-gas" style={width(month.gas)} />
              {/* Hatched, so that the two differ without color too. */}
              <span
                className="bg-diesel/25 bg-[repeating-linear-gradient(135deg,var(--diesel)_0_2px,transparent_2px_5px)]"
                style={width(month.diesel)}
              />
            </span>
            <span className="text-right">
              {month.gas > 0 && t("updates.fuel.gas", { amount: labels.gallons(month.gas) })}
              {month.gas > 0 && month.diesel > 0 && " · "}
              {month.diesel > 0 &&
                t("updates.fuel.diesel", { amount: labels.gallons(month.diesel) })}
              {month.gas === 0 && month.diesel === 0 && labels.gallons(0)}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
