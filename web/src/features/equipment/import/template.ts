import type { TFunction } from "i18next";
import { csv } from "#/shared/csv/csv";
import { download } from "#/shared/csv/download";
import type { EquipmentLabels } from "#/shared/words/use-equipment-labels";
import { importFields, type ImportField } from "./columns";
import { fieldLabel } from "./texts";

/** A CSV file with all headings and an example. */
function templateCsv(t: TFunction, labels: EquipmentLabels): string {
  const example: Partial<Record<ImportField, string | number>> = {
    name: t("equipment-import.example.name"),
    type: labels.type("machinery"),
    unitNumber: "EX-12",
    serialNumber: "1FF350GX0001",
    group: t("equipment-import.example.group"),
    unit: labels.unit("hours"),
    currentUsage: 4812.5,
    fuel: labels.fuel("diesel"),
    serviceInterval: 250,
    lastServiceUsage: 4600,
    threshold: 20_000,
    operationalStatus: t("equipment.operational.inUse"),
  };
  return csv(
    importFields.map((field) => fieldLabel(t, field)),
    [importFields.map((field) => example[field] ?? null)],
  );
}

export function downloadTemplate(t: TFunction, labels: EquipmentLabels): void {
  download(`${t("equipment-import.example.file")}.csv`, templateCsv(t, labels));
}
