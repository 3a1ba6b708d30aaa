import { Suspense } from "react";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { unitWord } from "#/domain/equipment-wire";
import { lazyWithTexts } from "#/i18n/lazy-with-texts";
import { severityIn } from "#/shared/severity";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { UsageBar } from "#/shared/ui/usage-bar";
import { nextDue } from "../detail/next-due";
import { useForecastText } from "../table/forecast-text";
import { ServiceBadges } from "../table/service-badges";
import { statusOf } from "../table/shown-status";

const ServiceNotes = lazyWithTexts(["office"], () =>
  import("../table/snooze-lines").then((module) => module.ServiceNotes),
);

/** The status badge, with the remaining usage as text and bar. */
export function ServiceCell({ equipment, today }: { equipment: Equipment; today: string }) {
  const { status } = statusOf(equipment);
  const forecast = useForecastText()(equipment, today);
  return (
    <div className="flex flex-col items-start gap-1 xl:min-w-63">
      <ServiceBadges equipment={equipment} status={status} />
      <DueLines equipment={equipment} today={today} />
      {(equipment.missedRounds > 0 || equipment.snoozedTasks.length > 0) && (
        <Suspense>
          <ServiceNotes equipment={equipment} />
        </Suspense>
      )}
      {forecast && <span className="text-xs text-muted">{forecast}</span>}
    </div>
  );
}

/** The regular service or a more urgent task; by usage and by calendar. */
function DueLines({ equipment, today }: { equipment: Equipment; today: string }) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const next = nextDue(equipment, today);
  if (!next) {
    return <span className="text-sm text-muted">{t("labels.due.noSchedule")}</span>;
  }
  const { taskName, due, percent, schedule } = next;
  const named = (text: string) =>
    taskName === null ? text : t("labels.due.task", { name: taskName, text });
  return (
    <>
      {due && (
        <span className="flex flex-wrap items-center gap-x-2.5 gap-y-1 text-sm">
          {named(labels.due(due, unitWord(equipment.unit)))}
          {percent !== null && (
            <UsageBar percent={percent} severity={severityIn(equipment, due.status)} />
          )}
        </span>
      )}
      {schedule && (
        <span className="text-sm">{named(labels.schedule(schedule.days, schedule.date))}</span>
      )}
    </>
  );
}
