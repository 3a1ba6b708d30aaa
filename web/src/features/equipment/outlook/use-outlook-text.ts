import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { daysBetween } from "#/domain/calendar";
import { serviceStatusWord, unitWord } from "#/domain/equipment-wire";
import { useFormat } from "#/shared/format/use-format";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { nextDue } from "../detail/next-due";
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
  return {
    span: (span: Span) => spanText(t, span),
    task: ({ projectedDueTask: task }: Equipment) =>
      task ? task.name || t("equipment-detail.tasks.regular") : "",
    due: (row: Equipment): DueText => {
      const { projectedDueDate: date, projectedDueTask: task } = row;
      if (!task) {
        const plan = statusOf(row).status !== "no_plan";
        return { text: plan ? t("service.tooFewDays") : t("labels.badges.noPlan"), forecast: "" };
      }
      const days = daysBetween(today, date);
      // How long it has been due is not in the projection.
      const next = days > 0 ? null : nextDue(row, today);
      if (task.byCalendar || task.remainingUsage === undefined) {
        const since = next?.schedule ?? { days, date };
        return { text: labels.schedule(since.days, since.date), forecast: "" };
      }
      if (task.remainingUsage > 0) {
        const [from, to] = [short(row.projectedDueEarliest), short(row.projectedDueLatest)];
        const about = t("service.about", { date: short(date) });
        return {
          text: t("service.inUsage", {
            amount: labels.amount(task.remainingUsage, unitWord(row.unit)),
          }),
          forecast: from === to ? about : `${about} (${from} – ${to})`,
        };
      }
      const due = next?.due;
      return {
        text: due ? labels.due(due, unitWord(row.unit)) : t("service.dueNow"),
        forecast: "",
      };
    },
  };
}

export function isOverdue(row: Equipment): boolean {
  return serviceStatusWord(row.serviceStatus) === "overdue";
}

function spanText(t: TFunction, span: Span): string {
  switch (span) {
    case "overdue":
      return t("service.spans.overdue");
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
