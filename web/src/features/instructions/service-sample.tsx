import { useTranslation } from "react-i18next";
import type { ServiceDue } from "#/domain/service-due";
import { severityOf } from "#/shared/severity";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { UsageBar } from "#/shared/ui/usage-bar";

export function ServiceSample() {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const rows: ReadonlyArray<{ name: string; reading: number; due: ServiceDue }> = [
    {
      name: t("instructions.sample.excavator"),
      reading: 4812.5,
      due: { kind: "overdueBy", amount: 62.5, status: "overdue", percent: 125 },
    },
    {
      name: t("instructions.sample.loader"),
      reading: 1204,
      due: { kind: "until", amount: 46, status: "approaching_service", percent: 82 },
    },
    {
      name: t("instructions.sample.compressor"),
      reading: 310.4,
      due: { kind: "until", amount: 189.6, status: "good", percent: 24 },
    },
  ];
  return (
    <figure className="break-inside-avoid overflow-hidden rounded-card border border-line bg-raised [print-color-adjust:exact]">
      <ul className="divide-y divide-line">
        {rows.map((row) => (
          <li
            key={row.name}
            className="grid grid-cols-2 items-center gap-x-6 gap-y-1 px-4 py-2.5 md:grid-cols-[1fr_0.8fr_1.8fr]"
          >
            <span className="font-semibold">{row.name}</span>
            <span className="text-right">{labels.amount(row.reading, "hours")}</span>
            <span className="col-span-2 flex items-center justify-between gap-3 md:col-span-1">
              {labels.due(row.due, "hours")}
              <UsageBar percent={row.due.percent} severity={severityOf(row.due.status)} />
            </span>
          </li>
        ))}
      </ul>
      <figcaption className="border-t border-line px-4 py-2 text-sm text-muted">
        {t("instructions.sample.label")}
      </figcaption>
    </figure>
  );
}
