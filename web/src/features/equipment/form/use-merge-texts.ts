import type { TFunction } from "i18next";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { equipmentTypes } from "#/domain/equipment-types";
import { meterUnits, type UnitWord } from "#/domain/equipment-words";
import { operationalLabel } from "#/shared/words/operational-label";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { periodText } from "#/shared/words/use-record-text";
import { parseDecimal } from "#/shared/form/decimal";
import { useFormat } from "#/shared/format/use-format";
import type { Topic } from "./merge";
import type { EditOutcome, LastChange } from "./save-edit";
import type { EquipmentValues } from "./schema";

export function useMergeTexts() {
  const { t } = useTranslation();
  const format = useFormat();
  const labels = useEquipmentLabels();
  return useMemo(() => {
    const none = t("equipment-history.record.none");
    const amount = (text: string, unit: UnitWord) => {
      const value = parseDecimal(text);
      return value === null ? none : labels.amount(value, unit);
    };
    const schedule = (values: EquipmentValues) =>
      values.hasScheduledMaintenance
        ? t("equipment-form.merge.schedule", {
            interval: periodText(
              t,
              Number(values.maintenanceInterval),
              values.maintenanceIntervalUnit,
            ),
            date: values.maintenanceStartDate && format.calendarDate(values.maintenanceStartDate),
          })
        : t("equipment-history.record.off");
    const value = (topic: Topic, values: EquipmentValues): string => {
      const unit = meterUnits.find((word) => word === values.unit) ?? "n/a";
      const type = equipmentTypes.find((word) => word === values.type);
      switch (topic) {
        case "name":
        case "unitNumber":
        case "serialNumber":
        case "group":
        case "description":
          return values[topic].trim() || none;
        case "type":
          return type ? labels.type(type) : none;
        case "operationalStatus":
          return operationalLabel(t, values.operationalStatus);
        case "unit":
          return labels.unit(unit);
        case "fuel":
          return labels.fuel(values.fuel);
        case "currentUsage":
          return amount(values.currentUsage || "0", unit);
        case "threshold":
        case "serviceInterval":
        case "lastServiceUsage":
          return amount(values[topic], unit);
        case "alertThreshold":
          return t("equipment-form.fields.alertOption", {
            percent: format.percent(100 - Number(values.alertThreshold)),
          });
        case "schedule":
          return schedule(values);
        case "serviceParts":
          return partsText(values) || none;
      }
    };
    const by = (change: LastChange): string =>
      change
        ? change.at
          ? t("equipment-form.merge.by", { name: change.by, when: format.instant(change.at) })
          : change.by
        : "";
    return {
      label: (topic: Topic) => topicLabel(t, topic),
      value,
      by,
      /** "Includes changes by Dana Whitfield: Current Usage." Empty if there are none. */
      merged: (topics: readonly Topic[], change: LastChange): string => {
        if (topics.length === 0) return "";
        const fields = topics.map((topic) => topicLabel(t, topic)).join(", ");
        return change
          ? t("equipment-form.merge.mergedBy", { name: change.by, fields })
          : t("equipment-form.merge.merged", { fields });
      },
      gone: ({ retired }: Extract<EditOutcome, { kind: "gone" }>, name: string): string => {
        if (!retired) return t("equipment-form.gone.deleted", { name });
        const at = retired.at ? format.instant(retired.at) : "";
        return t("equipment-form.gone.retired", { name, by: retired.by, at });
      },
    };
  }, [t, format, labels]);
}

function partsText({ serviceParts }: EquipmentValues): string {
  return serviceParts
    .filter((row) => row.part.trim() !== "")
    .map((row) =>
      [row.quantity.trim() && `${row.quantity.trim()} ×`, row.part.trim(), row.partNumber.trim()]
        .filter(Boolean)
        .join(" "),
    )
    .join("\n");
}

function topicLabel(t: TFunction, topic: Topic): string {
  switch (topic) {
    case "name":
      return t("equipment-form.fields.name");
    case "type":
      return t("equipment-form.fields.type");
    case "unitNumber":
      return t("equipment-form.fields.unitNumber");
    case "serialNumber":
      return t("equipment-form.fields.serialNumber");
    case "group":
      return t("equipment-form.fields.group");
    case "operationalStatus":
      return t("equipment.operational.label");
    case "unit":
      return t("equipment-form.fields.unit");
    case "fuel":
      return t("equipment-form.fields.fuelType");
    case "currentUsage":
      return t("equipment-form.fields.currentUsage");
    case "threshold":
      return t("equipment-form.fields.threshold");
    case "alertThreshold":
      return t("equipment-form.fields.alertThreshold");
    case "serviceInterval":
      return t("equipment-form.fields.serviceInterval");
    case "lastServiceUsage":
      return t("equipment-form.fields.lastServiced");
    case "schedule":
      return t("equipment-form.fields.schedule");
    case "serviceParts":
      return t("equipment.columns.parts");
    case "description":
      return t("equipment-form.fields.description");
  }
}
