import type { ReactNode } from "react";
import { useWatch, type Control } from "react-hook-form";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { lifeToDate } from "#/domain/dial";
import { operationalOnWire, unitOnWire } from "#/domain/equipment-wire";
import { meterUnits } from "#/domain/equipment-words";
import { serviceFigures } from "#/domain/service-status";
import { shownStatus } from "#/domain/shown-status";
import { useCompanyDay } from "#/shared/use-company-day";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { useFormat } from "#/shared/format/use-format";
import { parseDecimal } from "#/shared/form/decimal";
import { Card } from "#/shared/ui/card";
import { useDialText } from "../meters/use-dial-text";
import { useEarlierWarnings } from "../table/shown-status";
import { StatusWithReason } from "../table/status-with-reason";
import { countsFrom } from "./counts-from";
import { MoreTasks } from "./more-tasks";
import { ruledPreview, useRuledService } from "./regular-rule";
import { largest } from "./quantity";
import { plannedDate, type EquipmentValues } from "./schema";

const firstMeter = { currentUsage: 0, meterReading: 0 };

/** Previews the status of the typed values, the next service and the next date. */
export function StatusPreview({
  control,
  equipment,
}: {
  control: Control<EquipmentValues>;
  /** The edited equipment; null when adding. */
  equipment: Equipment | null;
}) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const format = useFormat();
  const dial = useDialText();
  const values = useWatch({ control });
  const today = useCompanyDay();
  const earlierWarnings = useEarlierWarnings();
  const unit = meterUnits.find((word) => word === values.unit) ?? "n/a";
  // The dial is typed; the rules use life-to-date usage.
  const usage = lifeToDate(equipment ?? firstMeter, atLeastZero(values.currentUsage));
  const interval = atLeastZero(values.serviceInterval);
  const lifespan = atLeastZero(values.threshold);
  const typedLast = parseDecimal(values.lastServiceUsage ?? "");
  const last = countsFrom(equipment, { typedLast, interval, usage });
  const ruledService = useRuledService(equipment);
  const ruled = ruledService && ruledPreview(ruledService, values, { last, usage, today });
  const planned = values.hasScheduledMaintenance
    ? plannedDate({
        maintenanceStartDate: values.maintenanceStartDate ?? "",
        maintenanceInterval: values.maintenanceInterval ?? "",
        maintenanceIntervalUnit: values.maintenanceIntervalUnit ?? "months",
      })
    : null;
  const next = ruled ? ruled.dueDate : planned;
  const figures = serviceFigures({
    currentUsage: usage,
    serviceInterval: interval,
    // The interval that ends at the due point.
    lastServiceUsage: ruled && ruled.dueUsage !== null ? ruled.dueUsage - interval : last,
    threshold: lifespan > 0 ? lifespan : null,
    alertThreshold: Number(values.alertThreshold ?? 20),
    hasScheduledMaintenance: values.hasScheduledMaintenance ?? false,
    nextMaintenanceDate: next,
    today,
  });
  const shown = shownStatus(
    {
      ...figures,
      serviceStatus: ruled ? ruled.status : figures.serviceStatus,
      hasPlan: interval > 0 || next !== null || (equipment?.moreTasks ?? 0) > 0,
    },
    earlierWarnings,
  );
  const typedUsage = parseDecimal(values.currentUsage ?? "");
  const neverRead = !equipment?.meterReadAt && typedUsage === null;
  // The form refuses these when it is submitted.
  const isRefused =
    Math.max(typedUsage ?? 0, typedLast ?? 0, interval) > largest ||
    (usage > 0 && (typedLast ?? 0) > usage);
  const dueAt = isRefused ? null : figures.nextServiceDueUsage;
  return (
    <Card
      title={t("equipment-form.fields.preview.title")}
      description={t("equipment-form.fields.preview.text")}
    >
      <div aria-live="polite" className="space-y-4">
        <div>
          <StatusWithReason
            equipment={{
              stale: false,
              operationalStatus: operationalOnWire[values.operationalStatus ?? "in_use"],
            }}
            shown={shown}
          />
        </div>
        <dl className="space-y-3">
          <Fact label={t("equipment-form.fields.preview.nextService")}>
            {dueAt === null || neverRead
              ? labels.noDue({ serviceInterval: neverRead ? interval : 0 })
              : dial.due({ ...(equipment ?? firstMeter), unit: unitOnWire[unit] }, dueAt)}
          </Fact>
          <Fact label={t("equipment-form.fields.preview.nextDate")}>
            {next ? format.calendarDate(next) : t("equipment-form.fields.preview.none")}
          </Fact>
          <Fact label={t("equipment-form.fields.preview.lifespan")}>
            {figures.lifespanPercent === null ? (
              t("equipment-form.fields.preview.none")
            ) : (
              <span className={figures.lifespanAlert ? "font-semibold" : undefined}>
                {t("labels.lifespanNote", { percent: format.percent(figures.lifespanPercent) })}
              </span>
            )}
          </Fact>
        </dl>
      </div>
      {equipment && <MoreTasks equipment={equipment} isRuled={ruledService !== null} />}
    </Card>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-sm text-muted">{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function atLeastZero(text: string | undefined): number {
  return Math.max(0, parseDecimal(text ?? "") ?? 0);
}
