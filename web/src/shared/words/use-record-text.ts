import type { TFunction } from "i18next";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { key, type TextKey } from "#/i18n/key";
import { useFormat } from "#/shared/format/use-format";
import type { CalendarUnit } from "#/domain/calendar";
import { equipmentTypes } from "#/domain/equipment-types";
import { equipmentFuels, meterUnits, operationalStatuses } from "#/domain/equipment-words";
import {
  editLines,
  meterLines,
  serviceEditLines,
  readPeriod,
  serviceLines,
  type Amount,
  type EditedField,
  type RecordLine,
  type Recurrence,
  type ServiceField,
  type TaskField,
} from "#/domain/record-lines";
import { operationalLabel } from "./operational-label";
import { useReasonText } from "./reject-reasons";
import { useNotesText, withoutReplacedNote } from "./replaced-note";
import { useEquipmentLabels } from "./use-equipment-labels";

const fieldNames: Record<EditedField, TextKey> = {
  Name: key("equipment-form.fields.name"),
  Type: key("equipment-form.fields.type"),
  "Unit number": key("equipment-form.fields.unitNumber"),
  "Serial number": key("equipment-form.fields.serialNumber"),
  Group: key("equipment-form.fields.group"),
  "Operational status": key("equipment.operational.label"),
  Unit: key("equipment-form.fields.unit"),
  "Current usage": key("equipment-form.fields.currentUsage"),
  "Meter reading": key("equipment-meters.record.reading"),
  Lifespan: key("equipment-form.fields.threshold"),
  "Fuel type": key("equipment-form.fields.fuelType"),
  "Alert threshold": key("equipment-form.fields.alertThreshold"),
  "Service interval": key("equipment-form.fields.serviceInterval"),
  "Last serviced": key("equipment-form.fields.lastServiced"),
  "Scheduled maintenance": key("equipment-form.fields.schedule"),
  "Starting date": key("equipment-form.fields.startDate"),
  "Maintenance interval": key("equipment-history.record.maintenanceInterval"),
};

const taskFieldNames: Record<TaskField, TextKey> = {
  Name: key("equipment-detail.tasks.name"),
  "Usage interval": key("equipment-detail.tasks.usageInterval"),
  "Calendar interval": key("equipment-detail.tasks.calendarInterval"),
  "Last done at": key("equipment-detail.tasks.lastDoneUsage"),
  "Last done on": key("equipment-detail.tasks.lastDoneOn"),
  Counts: key("equipment-detail.rules.basis"),
  "First due at": key("equipment-detail.rules.firstDueUsage"),
  "First due on": key("equipment-detail.rules.firstDueDate"),
  "Usage warning": key("equipment-detail.rules.warning"),
  "Calendar warning": key("equipment-detail.rules.warningCalendar"),
};

const serviceFieldNames: Record<ServiceField, TextKey> = {
  Cost: key("equipment-dialogs.serviced.cost"),
  "Performed on": key("equipment-dialogs.serviced.date"),
  Notes: key("equipment-dialogs.serviced.notes"),
};

/** Why an entry was voided. */
interface VoidReason {
  reason: string;
  undone: boolean;
  replacedBy?: string | null | undefined;
}

/** Translates the server's lines in an entry's content. */
export function useRecordText() {
  const { t } = useTranslation();
  const format = useFormat();
  const labels = useEquipmentLabels();
  const reasonText = useReasonText();
  const notesText = useNotesText();
  return useMemo(() => {
    const value = (field: EditedField, text: string): string => {
      if (text === "none") return t("equipment-history.record.none");
      switch (field) {
        case "Type":
          return oneOf(equipmentTypes, text, labels.type);
        case "Operational status":
          return oneOf(operationalStatuses, text, (status) => operationalLabel(t, status));
        case "Unit":
          return oneOf(meterUnits, text, labels.unit);
        case "Fuel type":
          return oneOf(equipmentFuels, text, labels.fuel);
        case "Current usage":
        case "Meter reading":
        case "Lifespan":
        case "Service interval":
        case "Last serviced":
          return numberOr(text, format.number);
        case "Alert threshold":
          return t("equipment-form.fields.alertOption", {
            percent: format.percent(100 - Number.parseInt(text, 10)),
          });
        case "Scheduled maintenance":
          return text === "on"
            ? t("equipment-history.record.on")
            : t("equipment-history.record.off");
        case "Starting date":
          return format.calendarDate(text);
        case "Maintenance interval":
          return intervalText(t, text);
        case "Name":
        case "Unit number":
        case "Serial number":
        case "Group":
          return text;
      }
    };
    const taskValue = (field: TaskField, text: string): string => {
      if (text === "none") return t("equipment-history.record.none");
      switch (field) {
        case "Name":
          return text;
        case "Usage interval":
          return text === "0" ? t("equipment-history.record.none") : numberOr(text, format.number);
        case "Last done at":
        case "First due at":
          return numberOr(text, format.number);
        case "Calendar interval":
          return intervalText(t, text);
        case "Last done on":
        case "First due on":
          return format.calendarDate(text);
        case "Counts":
          return text === "on the mark"
            ? t("equipment-detail.rules.onTheMark")
            : t("equipment-detail.rules.lastDone");
        case "Usage warning":
        case "Calendar warning":
          return text === "usual" ? t("equipment-detail.rules.usual") : intervalText(t, text);
      }
    };
    const serviceValue = (field: ServiceField, text: string): string => {
      if (text === "none") return t("equipment-history.record.none");
      switch (field) {
        case "Cost":
          return format.cost(Math.round(Number(text.slice(1)) * 100));
        case "Performed on":
          return format.calendarDate(text);
        case "Notes":
          return text;
      }
    };
    const every = ({ usage, period }: Recurrence): string =>
      everyText(t, usage && labels.amount(usage.amount, usage.unit), period);
    const measured = ({ amount, unit }: Amount) => labels.amount(amount, unit);
    const lineText = (line: RecordLine): string => {
      switch (line.kind) {
        case "change":
          return t("equipment-history.record.change", {
            field: t(fieldNames[line.field]),
            before: value(line.field, line.before),
            after: value(line.field, line.after),
          });
        case "taskAdded":
          return t("equipment-detail.record.taskAdded", {
            name: line.name,
            every: every(line.every),
          });
        case "taskChanged":
          return line.name === null
            ? t("equipment-detail.record.regularChanged")
            : t("equipment-detail.record.taskChanged", { name: line.name });
        case "taskChange":
          return t("equipment-history.record.change", {
            field: t(taskFieldNames[line.field]),
            before: taskValue(line.field, line.before),
            after: taskValue(line.field, line.after),
          });
        case "taskRemoved":
          return t("equipment-detail.record.taskRemoved", { name: line.name });
        case "snoozed":
          return t("equipment-detail.snooze.named", {
            name: line.name ?? t("equipment-detail.tasks.regular"),
            text: t("equipment-detail.snooze.until", {
              until:
                "date" in line.until ? format.calendarDate(line.until.date) : measured(line.until),
              reason: line.reason,
            }),
          });
        case "woken":
          return t("equipment-detail.snooze.woken", {
            name: line.name ?? t("equipment-detail.tasks.regular"),
          });
        case "serviceChange":
          return t("equipment-history.record.change", {
            field: t(serviceFieldNames[line.field]),
            before: serviceValue(line.field, line.before),
            after: serviceValue(line.field, line.after),
          });
        case "parts":
          return t("equipment-history.record.parts");
        case "description":
          return t("equipment-history.record.description");
        case "meterReplaced":
          return t("equipment-meters.record.replaced", {
            ended: measured(line.ended),
            began: measured(line.began),
          });
        case "meterRolledOver":
          return t("equipment-meters.record.rolledOver", {
            amount: measured(line.after),
          });
        case "meterShows":
          return t("equipment-meters.record.shows", {
            amount: measured(line.reading),
          });
        case "cost":
          return t("equipment-history.record.cost", {
            amount: format.cost(line.cents),
          });
        case "performedOn":
          return t("equipment-history.record.performedOn", {
            date: format.calendarDate(line.date),
          });
        case "text":
          return line.text;
      }
    };
    const lifeText = (line: RecordLine): string | null =>
      line.kind === "change" && line.field === "Current usage"
        ? t("equipment-history.record.change", {
            field: t("equipment-meters.life"),
            before: value(line.field, line.before),
            after: value(line.field, line.after),
          })
        : null;
    const whole = (lines: RecordLine[], reportedBy = "") => {
      const isReplaced = lines[0]?.kind === "meterReplaced";
      const notes = (text: string) => (isReplaced ? withoutReplacedNote(text) : text);
      const by = (text: string) => (text && reportedBy ? `${reportedBy}: ${text}` : text);
      return lines
        .map((line) => (line.kind === "text" ? by(notes(line.text)) : lineText(line)))
        .filter((text) => text !== "")
        .join("\n");
    };
    return {
      edit: (content: string) => {
        const lines = editLines(content);
        // Beside a corrected dial, current usage is life-to-date.
        const both = lines.some((line) => line.kind === "change" && line.field === "Meter reading");
        return lines.map((line) => (both ? lifeText(line) : null) ?? lineText(line)).join("\n");
      },
      /** The notes of usage, after how a meter ended and the next began if it did. */
      update: (content: string) => notesText(whole(meterLines(content))),
      /** Notes by another person than the author of the text have that person's name. */
      service: (content: string, reportedBy = "") =>
        notesText(whole(serviceLines(content), reportedBy)),
      /**
       * "Voided by Ana Ruiz on Jan 5, 2025: typed one digit too many"; of an edited service: who edited
       * it, and what.
       */
      voided: (by: string, date: string, { reason, undone, replacedBy }: VoidReason) =>
        replacedBy
          ? t("equipment-detail.edit.edited", {
              by,
              date,
              changes: whole(serviceEditLines(reason)),
            })
          : t("equipment-history.voided", {
              by,
              date,
              reason: undone ? t("updates.undone") : reasonText(reason),
            }),
      /** Without cost and day, for places that show them separately. */
      serviceNotes: (content: string) =>
        whole(serviceLines(content).filter((line) => line.kind === "text")),
      cost: (cents: number) => lineText({ kind: "cost", cents }),
    };
  }, [t, format, labels, reasonText, notesText]);
}

function oneOf<Word extends string>(
  words: readonly Word[],
  text: string,
  label: (word: Word) => string,
): string {
  const word = words.find((known) => known === text);
  return word === undefined ? text : label(word);
}

function numberOr(text: string, format: (value: number) => string): string {
  return Number.isFinite(Number(text)) ? format(Number(text)) : text;
}

function intervalText(t: TFunction, text: string): string {
  const period = readPeriod(text);
  return period ? periodText(t, period.count, period.unit) : text;
}

/** "6 months" */
export function periodText(t: TFunction, count: number, unit: CalendarUnit): string {
  switch (unit) {
    case "days":
      return t("equipment-history.record.days", { count });
    case "months":
      return t("equipment-history.record.months", { count });
    case "years":
      return t("equipment-history.record.years", { count });
  }
}

/** "every 250 hours or 6 months"; empty with neither. */
export function everyText(
  t: TFunction,
  amount: string | null,
  period: Recurrence["period"],
): string {
  if (period === null) {
    return amount === null ? "" : t("equipment-detail.record.every", { interval: amount });
  }
  const { count, unit } = period;
  if (amount !== null) {
    return t("equipment-detail.record.everyBoth", { amount, period: periodText(t, count, unit) });
  }
  switch (unit) {
    case "days":
      return t("equipment-detail.record.everyDays", { count });
    case "months":
      return t("equipment-detail.record.everyMonths", { count });
    case "years":
      return t("equipment-detail.record.everyYears", { count });
  }
}
