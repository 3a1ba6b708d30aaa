import { timestampDate } from "@bufbuild/protobuf/wkt";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { equipmentFuelWord, operationalWord, typeWord, unitWord } from "#/domain/equipment-wire";
import { operationalLabel } from "#/shared/words/operational-label";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { useFormat } from "#/shared/format/use-format";
import { useDialText } from "../meters/use-dial-text";
import { useReadingAge } from "../table/reading-age";
import { useIntervalText } from "./use-interval-text";

export interface Fact {
  id: string;
  label: string;
  value: string;
  /** Monospaced, so that 0 and O differ. */
  mono?: boolean;
}

/** All stored facts of equipment as text; unset ones are omitted. */
export function useFacts(equipment: Equipment): Fact[] {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const format = useFormat();
  const dial = useDialText();
  const interval = useIntervalText();
  const age = useReadingAge();
  const unit = unitWord(equipment.unit);
  const amount = (value: number | undefined) =>
    value === undefined ? "" : labels.amount(value, unit);
  const scheduled = equipment.hasScheduledMaintenance;
  const facts: Fact[] = [
    {
      id: "type",
      label: t("equipment-form.fields.type"),
      value: labels.type(typeWord(equipment.type)),
    },
    {
      id: "unitNumber",
      label: t("equipment-form.fields.unitNumber"),
      value: equipment.unitNumber ?? "",
      mono: true,
    },
    {
      id: "serial",
      label: t("equipment-form.fields.serialNumber"),
      value: equipment.serialNumber ?? "",
      mono: true,
    },
    { id: "group", label: t("equipment-form.fields.group"), value: equipment.group ?? "" },
    {
      id: "fuel",
      label: t("equipment-form.fields.fuelType"),
      value: labels.fuel(equipmentFuelWord(equipment.fuel)),
    },
    { id: "unit", label: t("equipment-form.fields.unit"), value: labels.unit(unit) },
    {
      id: "lifespan",
      label: t("equipment-form.fields.threshold"),
      value: amount(equipment.threshold),
    },
    {
      id: "alert",
      label: t("equipment-form.fields.alertThreshold"),
      value:
        equipment.threshold === undefined
          ? ""
          : t("equipment-form.fields.alertOption", {
              percent: format.percent(100 - equipment.alertThreshold),
            }),
    },
    {
      id: "interval",
      label: t("equipment-form.fields.serviceInterval"),
      value: equipment.serviceInterval > 0 ? amount(equipment.serviceInterval) : "",
    },
    {
      id: "last",
      label: t("equipment-form.fields.lastServiced"),
      value:
        equipment.serviceInterval > 0 && equipment.lastServiceUsage !== undefined
          ? dial.life(equipment, equipment.lastServiceUsage)
          : "",
    },
    {
      id: "next",
      // The header shows the more urgent task.
      label: equipment.urgentTask
        ? t("equipment-detail.facts.nextRegular")
        : t("equipment-form.fields.preview.nextService"),
      value:
        equipment.nextServiceDueUsage === undefined
          ? ""
          : dial.due(equipment, equipment.nextServiceDueUsage),
    },
    {
      id: "schedule",
      label: t("equipment-form.fields.schedule"),
      value: scheduled
        ? interval({
            usageInterval: 0,
            calendarInterval: equipment.maintenanceInterval,
            calendarUnit: equipment.maintenanceIntervalUnit,
            unit: equipment.unit,
          })
        : "",
    },
    {
      id: "start",
      label: t("equipment-form.fields.startDate"),
      value: scheduled ? dateOr(equipment.maintenanceStartDate, format.calendarDate) : "",
    },
    {
      id: "nextDate",
      label: t("equipment-form.fields.preview.nextDate"),
      value: scheduled ? dateOr(equipment.nextMaintenanceDate, format.calendarDate) : "",
    },
    {
      id: "operational",
      label: t("equipment.operational.label"),
      value: operationalLabel(t, operationalWord(equipment.operationalStatus)),
    },
    {
      id: "read",
      label: t("equipment-detail.facts.read"),
      value:
        equipment.meterReadAt && unit !== "n/a"
          ? `${format.instant(timestampDate(equipment.meterReadAt))} · ${age(equipment)}`
          : age(equipment),
    },
    {
      id: "added",
      label: t("equipment-detail.facts.added"),
      value: equipment.dateAdded ? format.instantDay(timestampDate(equipment.dateAdded)) : "",
    },
    {
      id: "updated",
      label: t("equipment.columns.lastUpdated"),
      value: equipment.lastUpdated ? format.instant(timestampDate(equipment.lastUpdated)) : "",
    },
  ];
  return facts.filter((fact) => fact.value !== "");
}

function dateOr(date: string, format: (date: string) => string): string {
  return date === "" ? "" : format(date);
}
