import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { unitWord } from "#/domain/equipment-wire";
import { useFormat } from "#/shared/format/use-format";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { isByDate, isProjected, nextDue } from "../detail/next-due";
import { snoozedText, snoozeOf } from "../detail/snoozed";
import { statusOf } from "../table/shown-status";
import type { Span } from "./outlook";

export interface DueText {
  /** "in 42 hours" */
  text: string;
  /** "about Dec 9, between Dec 5 and Dec 15"; empty if it is not a forecast. */
  forecast: string;
}

/** The texts of the Service page. */
export function useOutlookText(today: string) {
  const { t } = useTranslation();
  const format = useFormat();
  const labels = useEquipmentLabels();
  const short = (date: string) => format.shortDate(date, today);
  const projectedTask = ({ projectedDueTask: task }: Equipment) =>
    task ? task.name || t("equipment-detail.tasks.regular") : "";
  const forecast = (row: Equipment) => {
    const task = row.projectedDueTask;
    if (!task || !isProjected(row)) return t("service.tooFewDays");
    if (task.byCalendar) return "";
    const snooze = snoozeOf(row);
    if (snooze) return snoozedText(t, snooze, short(row.projectedDueDate));
    const about = t("service.about", { date: short(row.projectedDueDate) });
    const [from, to] = [short(row.projectedDueEarliest), short(row.projectedDueLatest)];
    return from === to ? about : `${about} (${from} – ${to})`;
  };
  const taskName = (row: Equipment) => {
    const next = nextDue(row, today);
    return next ? (next.taskName ?? t("equipment-detail.tasks.regular")) : "";
  };
  return {
    span: (span: Span) => spanText(t, span),
    taskName,
    /** "Oil · and 1 more task overdue" */
    task: (row: Equipment) => {
      const others = row.overdueTasks - 1;
      if (others < 1) return taskName(row);
      return `${taskName(row)} · ${t("equipment.forecast.moreOverdue", { count: others })}`;
    },
    /** The task of the projected date. */
    projectedTask,
    due: (row: Equipment): DueText => {
      const next = nextDue(row, today);
      if (!next) {
        if (statusOf(row).status === "no_plan") {
          return { text: t("labels.badges.noPlan"), forecast: "" };
        }
        const isUnread = row.serviceInterval > 0;
        return { text: isUnread ? labels.noDue(row) : t("service.tooFewDays"), forecast: "" };
      }
      const { due, schedule } = next;
      if (schedule && isByDate(next, row)) {
        return { text: labels.schedule(schedule.days, schedule.date), forecast: "" };
      }
      const byDate = schedule ? labels.schedule(schedule.days, schedule.date) : "";
      const hasForecast = isProjected(row) && row.projectedDueTask?.byCalendar === false;
      // The date of another task, which would be on no other line of this machine.
      const other =
        row.projectedDueTask && !isProjected(row) && row.projectedDueDate > today
          ? t("labels.due.task", { name: projectedTask(row), text: short(row.projectedDueDate) })
          : "";
      const own = hasForecast ? forecast(row) : byDate || forecast(row);
      return {
        text: due ? labels.due(due, unitWord(row.unit)) : "",
        forecast: due?.kind === "until" ? [own, other].filter(Boolean).join(" · ") : "",
      };
    },
  };
}

function spanText(t: TFunction, span: Span): string {
  switch (span) {
    case "overdue":
      return t("service.spans.overdue");
    case "dueNow":
      return t("service.spans.dueNow");
    case "soon":
      return t("service.spans.soon");
    case "thisWeek":
      return t("service.spans.thisWeek");
    case "nextWeek":
      return t("service.spans.nextWeek");
    case "thisMonth":
      return t("service.spans.thisMonth");
    case "later":
      return t("service.spans.later");
    case "none":
      return t("service.spans.none");
  }
}
