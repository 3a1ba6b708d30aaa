import { useTranslation } from "react-i18next";
import type { Equipment, ServiceTask } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { daysBetween, nextDate, readDate } from "#/domain/calendar";
import { unitWord } from "#/domain/equipment-wire";
import {
  calendarFigures,
  usageFigures,
  type CalendarRule,
  type DueFigures,
  type UsageRule,
} from "#/domain/service-rules";
import { parseDecimal } from "#/shared/form/decimal";
import { useFormat } from "#/shared/format/use-format";
import { useCompanyDay } from "#/shared/use-company-day";
import { everyText, periodText } from "#/shared/words/use-record-text";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { useDialText } from "../meters/use-dial-text";
import { isWarningValid } from "../rules/rule-schema";
import type { TaskValues } from "./task-schema";

/** What the service computes from the form; null: nothing, or what was typed is not valid yet. */
export interface TaskPreview {
  usage: DueFigures<number> | null;
  calendar: DueFigures<string> | null;
}

/** `usage` is null if the meter was never read; `before` is null for a new task. */
export function taskPreview(
  values: TaskValues,
  before: ServiceTask | null,
  usage: number | null,
  today: string,
): TaskPreview {
  const byUsage = usageRule(values, before, usage);
  const byCalendar = calendarRule(values, today);
  return {
    usage: byUsage && usageFigures(byUsage, usage ?? 0),
    calendar: byCalendar && calendarFigures(byCalendar, today),
  };
}

function usageRule(
  values: TaskValues,
  before: ServiceTask | null,
  usage: number | null,
): UsageRule | null {
  const interval = parseDecimal(values.usageInterval) ?? 0;
  if (!(Number.isInteger(interval) && interval > 0)) return null;
  const last = parseDecimal(values.lastDoneUsage) ?? before?.lastDoneUsage ?? null;
  const given = parseDecimal(values.firstDueUsage) || null;
  const next = usage === null ? null : (Math.floor(usage / interval) + 1) * interval;
  const onTheMark = values.basis === "on_the_mark";
  // The form's task without a last service counts from 0.
  const isForm = before?.fromForm === true;
  const first = given ?? (onTheMark && last === null && !isForm ? next : null);
  const warning = isWarningValid(values) ? parseDecimal(values.warning) || null : null;
  return {
    basis: values.basis,
    interval,
    first,
    last: last ?? (isForm ? 0 : first === null ? usage : null),
    warningPercent: values.warningUnit === "percent" ? warning : null,
    warningUsage: values.warningUnit === "usage" ? warning : null,
  };
}

function calendarRule(values: TaskValues, today: string): CalendarRule | null {
  const interval = Number(values.calendarInterval);
  if (!(interval > 0)) return null;
  const unit = values.calendarUnit;
  const given = values.firstDueDate === "" ? null : readDate(values.firstDueDate);
  const before = given && nextDate(given, -interval, unit);
  const assumed = before !== null && before < today ? before : today;
  const start = readDate(values.lastDoneOn) ?? assumed;
  const onTheMark = values.basis === "on_the_mark";
  const days = Number(values.warningDays);
  return {
    basis: values.basis,
    start,
    interval,
    unit,
    first: given ?? (onTheMark ? nextDate(start, interval, unit) : null),
    warningDays: days >= 1 && days <= 365 ? days : null,
  };
}

/** "Next: 1,500 hours (in 42 hours), then every 250 hours" */
export function useTaskPreviewText(equipment: Equipment) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const format = useFormat();
  const dial = useDialText();
  const today = useCompanyDay();
  const unit = unitWord(equipment.unit);
  const withMissed = (text: string, missed: number) =>
    missed > 0 ? `${text}, ${t("equipment-detail.snooze.missed", { count: missed })}` : text;
  const then = (values: TaskValues, interval: string, every: string) =>
    values.basis === "on_the_mark"
      ? every
      : t("equipment-detail.rules.preview.after", { interval });
  const usageText = (values: TaskValues, { due, missedRounds }: DueFigures<number>) => {
    if (due === null) return t("equipment-detail.rules.preview.unread");
    const left = Math.round((due - equipment.currentUsage) * 100) / 100;
    const amount = labels.amount(Math.abs(left), unit);
    const interval = labels.amount(parseDecimal(values.usageInterval) ?? 0, unit);
    const when =
      left > 0
        ? t("equipment-detail.rules.preview.in", { amount })
        : t("equipment-detail.rules.preview.since", { amount });
    return t("equipment-detail.rules.preview.next", {
      due: dial.due(equipment, due),
      when: withMissed(when, missedRounds),
      next: then(values, interval, everyText(t, interval, null)),
    });
  };
  const calendarText = (values: TaskValues, { due, missedRounds }: DueFigures<string>) => {
    if (due === null) return "";
    const days = daysBetween(today, due);
    const when =
      days > 0
        ? t("equipment-detail.rules.preview.inDays", { count: days })
        : days === 0
          ? t("equipment-detail.rules.preview.today")
          : t("equipment-detail.rules.preview.sinceDays", { count: -days });
    const period = { count: Number(values.calendarInterval), unit: values.calendarUnit };
    const interval = periodText(t, period.count, period.unit);
    return t("equipment-detail.rules.preview.next", {
      due: format.calendarDate(due),
      when: withMissed(when, missedRounds),
      next: then(values, interval, everyText(t, null, period)),
    });
  };
  return (values: TaskValues, { usage, calendar }: TaskPreview): string[] => [
    ...(usage ? [usageText(values, usage)] : []),
    ...(calendar ? [calendarText(values, calendar)] : []),
  ];
}
