import { clsx } from "clsx";
import { useTranslation } from "react-i18next";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { useFormat } from "#/shared/format/use-format";
import { Skeleton } from "#/shared/ui/skeleton";
import type { ArchiveTotals } from "./archive";

/** Totals of the archive; marked as partial while pages are loading. */
export function RetiredSummary({
  totals,
  whole,
}: {
  totals: ArchiveTotals | undefined;
  whole: boolean;
}) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const format = useFormat();
  const figures = [
    { label: t("retired.summary.total"), value: totals && format.number(totals.count) },
    { label: t("retired.summary.fuel"), value: totals && labels.gallons(totals.fuel), long: true },
    { label: t("retired.summary.withNotes"), value: totals && format.number(totals.withNotes) },
  ];
  return (
    <div>
      <dl
        aria-label={t("retired.summary.label")}
        className="grid grid-cols-2 overflow-hidden rounded-card border border-line bg-line gap-px md:grid-cols-3"
      >
        {figures.map((figure) => (
          <div
            key={figure.label}
            className={clsx(
              "bg-raised px-4 py-3",
              // Long figures get their own line on a phone.
              figure.long && "max-md:order-last max-md:col-span-2",
            )}
          >
            <dt className="text-sm text-muted">{figure.label}</dt>
            <dd className="text-figure font-semibold">
              {figure.value ?? <Skeleton className="my-1 h-7 w-24" />}
            </dd>
          </div>
        ))}
      </dl>
      {totals && !whole && (
        <p role="status" className="mt-2 text-sm text-muted">
          {t("retired.summary.soFar", { count: totals.count })}
        </p>
      )}
    </div>
  );
}
