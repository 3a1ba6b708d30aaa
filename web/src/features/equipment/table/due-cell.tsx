import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { daysBetween } from "#/domain/calendar";
import { unitWord } from "#/domain/equipment-wire";
import { useFormat } from "#/shared/format/use-format";
import { severityIn } from "#/shared/severity";
import { CellDetail } from "#/shared/table/cell-detail";
import { UsageBar } from "#/shared/ui/usage-bar";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { isByDate, isProjected, nextDue } from "../detail/next-due";

/** The most urgent task: its distance, and below it its name and the projected date. */
export function DueCell({ equipment, today }: { equipment: Equipment; today: string }) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const format = useFormat();
  const { projectedDueDate: date, projectedDueTask, snoozedTasks, overdueTasks } = equipment;
  const next = nextDue(equipment, today);
  if (!next) return <span className="text-muted">{labels.noDue(equipment)}</span>;
  const { taskName, due, schedule, percent } = next;
  const byDate = schedule && isByDate(next, equipment) ? schedule : null;
  const projected = date > today ? projectedDueTask : undefined;
  const isOwn = isProjected(equipment);
  const isForecast =
    !byDate &&
    isOwn &&
    projected?.byCalendar === false &&
    // The date may be the end of a snooze.
    !snoozedTasks.some(({ id }) => id === projected.id) &&
    due?.kind === "until";
  const details = [
    taskName,
    // The date of another task, which is on no other line.
    projected?.name &&
      !isOwn &&
      t("labels.due.task", { name: projected.name, text: format.shortDate(date, today) }),
    isForecast &&
      t("equipment.forecast.about", {
        count: daysBetween(today, date),
        date: format.shortDate(date, today),
      }),
    overdueTasks > 1 && t("equipment.forecast.moreOverdue", { count: overdueTasks - 1 }),
  ].filter(Boolean);
  return (
    <div className="lg:min-w-52">
      <span className="flex items-center gap-2.5 in-data-compact:inline">
        {byDate
          ? labels.schedule(byDate.days, byDate.date)
          : due && labels.due(due, unitWord(equipment.unit))}
        {!byDate && due && percent !== null && (
          <span className="hidden xl:not-in-data-compact:block">
            <UsageBar percent={percent} severity={severityIn(equipment, due.status)} />
          </span>
        )}
      </span>
      {details.length > 0 && <CellDetail>{details.join(" · ")}</CellDetail>}
    </div>
  );
}
