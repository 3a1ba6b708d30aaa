import { useTranslation } from "react-i18next";
import { useFormat } from "#/shared/format/use-format";
import { total, type MonthFigures } from "./month-figures";
import type { Measure } from "./use-month-figures";

/** The months, newest first, with their sum. */
export function MonthTable({
  figures,
  measures,
}: {
  figures: readonly MonthFigures[];
  measures: readonly Measure[];
}) {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <table className="text-sm print:w-full print:text-xs print:leading-tight">
      <caption className="sr-only">{t("equipment-detail.months.title")}</caption>
      <thead className="text-xs text-muted">
        <tr>
          <th scope="col" className="py-1 print:py-0 text-left font-semibold">
            {t("equipment-detail.months.month")}
          </th>
          {measures.map(({ id, label }) => (
            <th key={id} scope="col" className="py-1 print:py-0 pl-4 text-right font-semibold">
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {figures.toReversed().map((row) => (
          <tr key={row.month} className="border-t border-line">
            <th scope="row" className="py-1 print:py-0 text-left font-normal whitespace-nowrap">
              {format.month(row.month)} {row.month.slice(0, 4)}
            </th>
            {measures.map(({ id, of, text }) => (
              <td key={id} className="py-1 print:py-0 pl-4 text-right whitespace-nowrap">
                {of(row) > 0 ? text(of(row)) : "–"}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr className="border-t border-control-line font-semibold">
          <th scope="row" className="py-1 print:py-0 text-left">
            {t("equipment-detail.months.total")}
          </th>
          {measures.map(({ id, of, text }) => (
            <td key={id} className="py-1 print:py-0 pl-4 text-right whitespace-nowrap">
              {text(total(figures, of))}
            </td>
          ))}
        </tr>
      </tfoot>
    </table>
  );
}
