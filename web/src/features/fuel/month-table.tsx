import { useTranslation } from "react-i18next";
import type { MonthFuelUse } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { useFormat } from "#/shared/format/use-format";

/** The chart as a table. */
export function MonthTable({ months }: { months: readonly MonthFuelUse[] }) {
  const { t } = useTranslation();
  const format = useFormat();
  const labels = useEquipmentLabels();
  const cell = "py-1.5 pl-3 text-right";
  return (
    <details className="mt-3 text-sm">
      <summary className="w-fit rounded-control py-1 font-semibold text-accent">
        {t("fuel.asTable")}
      </summary>
      <div className="mt-1 max-h-72 overflow-y-auto">
        <table className="w-full">
          <caption className="sr-only">{t("fuel.byMonth")}</caption>
          <thead className="text-xs text-muted">
            <tr className="border-b border-line">
              <th scope="col" className="py-1.5 text-left font-semibold">
                {t("fuel.month")}
              </th>
              <th scope="col" className={cell}>
                {labels.fuelKind("gas")}
              </th>
              <th scope="col" className={cell}>
                {labels.fuelKind("diesel")}
              </th>
              <th scope="col" className={cell}>
                {t("fuel.total")}
              </th>
            </tr>
          </thead>
          <tbody>
            {months.toReversed().map(({ month, gas, diesel }) => (
              <tr key={month} className="border-b border-line last:border-b-0">
                <th scope="row" className="py-1.5 text-left font-normal">
                  {format.month(month)} {month.slice(0, 4)}
                </th>
                <td className={cell}>{labels.gallons(gas)}</td>
                <td className={cell}>{labels.gallons(diesel)}</td>
                <td className={cell}>{labels.gallons(gas + diesel)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
