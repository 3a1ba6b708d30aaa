import { clsx } from "clsx";
import { useTranslation } from "react-i18next";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { useFormat } from "#/shared/format/use-format";
import { Badge } from "#/shared/ui/badge";
import { Sample, SampleSheet } from "./sample-parts";

export function FuelSample() {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const rows = [
    { name: t("instructions.sample.excavator"), fuel: 412.5, share: "w-full" },
    { name: t("instructions.sample.loader"), fuel: 236, share: "w-[57%]" },
  ];
  return (
    <Sample caption={t("instructions.fuel.caption")}>
      <SampleSheet className="space-y-3 p-4">
        {rows.map((row) => (
          <div key={row.name}>
            <p className="flex justify-between gap-3 font-semibold">
              <span>{row.name}</span>
              <span>{labels.gallons(row.fuel)}</span>
            </p>
            <div className={clsx("mt-1 h-2.5 rounded-[3px] bg-diesel", row.share)} />
            <p className="mt-1 text-sm text-muted">
              {labels.fuelKind("diesel")} {labels.gallons(row.fuel)}
            </p>
          </div>
        ))}
      </SampleSheet>
    </Sample>
  );
}

export function HistorySample() {
  const { t } = useTranslation();
  const format = useFormat();
  const labels = useEquipmentLabels();
  const hours = (value: number) => labels.amount(value, "hours");
  const rows = [
    {
      kind: t("equipment-detail.kinds.service"),
      text: hours(4812.5),
      who: "Dana Whitfield",
      day: "2026-11-05",
    },
    {
      kind: t("equipment-detail.kinds.usage"),
      text: `${format.number(4804.1)} → ${hours(4812.5)}`,
      who: "María Salazar",
      day: "2026-11-04",
    },
    {
      kind: t("equipment-detail.kinds.usage"),
      text: `${format.number(4804.1)} → ${hours(4912.5)}`,
      who: "María Salazar",
      day: "2026-11-04",
      voided: true,
    },
  ];
  return (
    <Sample caption={t("instructions.history.caption")}>
      <SampleSheet>
        <ul className="divide-y divide-line">
          {rows.map((row) => (
            <li
              key={row.text}
              className="grid gap-x-6 gap-y-0.5 px-4 py-3 sm:grid-cols-[9rem_minmax(0,1fr)_auto]"
            >
              <p className={clsx("font-semibold", row.voided && "text-muted line-through")}>
                {row.kind}
              </p>
              <div>
                <p className={clsx(row.voided && "text-muted line-through")}>{row.text}</p>
                {row.voided && (
                  <p className="mt-1 flex flex-wrap items-center gap-2 text-sm text-muted">
                    <Badge>{t("equipment-detail.void.badge")}</Badge>
                    {t("instructions.history.voided")}
                  </p>
                )}
              </div>
              <p className="text-sm text-muted sm:text-right">
                {row.who}
                <br />
                {format.calendarDate(row.day)}
              </p>
            </li>
          ))}
        </ul>
      </SampleSheet>
    </Sample>
  );
}
