import type { TFunction } from "i18next";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { key, type TextKey } from "#/i18n/key";
import { useFormat } from "#/shared/format/use-format";
import { calendarUnits } from "./calendar";
import { equipmentFuels, equipmentTypes, meterUnits } from "./equipment-words";
import { editLines, serviceLines, type EditedField, type RecordLine } from "./record-lines";
import { useEquipmentLabels } from "./use-equipment-labels";

const fieldNames: Record<EditedField, TextKey> = {
  Name: key("equipment.form.name"),
  Type: key("equipment.form.type"),
  "Serial number": key("equipment.form.serialNumber"),
  Unit: key("equipment.form.unit"),
  "Current usage": key("equipment.form.currentUsage"),
  Lifespan: key("equipment.form.threshold"),
  "Fuel type": key("equipment.form.fuelType"),
  "Alert threshold": key("equipment.form.alertThreshold"),
  "Service interval": key("equipment.form.serviceInterval"),
  "Last serviced": key("equipment.form.lastServiced"),
  "Scheduled maintenance": key("equipment.form.schedule"),
  "Starting date": key("equipment.form.startDate"),
  "Maintenance interval": key("equipment.record.maintenanceInterval"),
};

/** The lines that the server wrote into a record, in the reader's language. */
export function useRecordText() {
  const { t } = useTranslation();
  const format = useFormat();
  const labels = useEquipmentLabels();
  return useMemo(() => {
    const value = (field: EditedField, text: string): string => {
      if (text === "none") return t("equipment.record.none");
      switch (field) {
        case "Type":
          return oneOf(equipmentTypes, text, labels.type);
        case "Unit":
          return oneOf(meterUnits, text, labels.unit);
        case "Fuel type":
          return oneOf(equipmentFuels, text, labels.fuel);
        case "Current usage":
        case "Lifespan":
        case "Service interval":
        case "Last serviced":
          return Number.isFinite(Number(text)) ? format.number(Number(text)) : text;
        case "Alert threshold":
          return t("equipment.form.alertOption", {
            percent: format.percent(100 - Number.parseInt(text, 10)),
          });
        case "Scheduled maintenance":
          return text === "on" ? t("equipment.record.on") : t("equipment.record.off");
        case "Starting date":
          return format.calendarDate(text);
        case "Maintenance interval":
          return intervalText(t, text);
        case "Name":
        case "Serial number":
          return text;
      }
    };
    const lineText = (line: RecordLine): string => {
      switch (line.kind) {
        case "change":
          return t("equipment.record.change", {
            field: t(fieldNames[line.field]),
            before: value(line.field, line.before),
            after: value(line.field, line.after),
          });
        case "parts":
          return t("equipment.record.parts");
        case "description":
          return t("equipment.record.description");
        case "cost":
          return t("equipment.record.cost", { amount: format.money(line.cents) });
        case "performedOn":
          return t("equipment.record.performedOn", { date: format.calendarDate(line.date) });
        case "text":
          return line.text;
      }
    };
    const whole = (lines: RecordLine[]) => lines.map(lineText).join("\n");
    return {
      edit: (content: string) => whole(editLines(content)),
      service: (content: string) => whole(serviceLines(content)),
    };
  }, [t, format, labels]);
}

function oneOf<Word extends string>(
  words: readonly Word[],
  text: string,
  label: (word: Word) => string,
): string {
  const word = words.find((known) => known === text);
  return word === undefined ? text : label(word);
}

/** "6 months" */
function intervalText(t: TFunction, text: string): string {
  const [amount, word] = text.split(" ");
  const count = Number(amount);
  switch (calendarUnits.find((unit) => unit === word)) {
    case "days":
      return t("equipment.record.days", { count });
    case "months":
      return t("equipment.record.months", { count });
    case "years":
      return t("equipment.record.years", { count });
    case undefined:
      return text;
  }
}
