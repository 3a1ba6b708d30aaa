import { timestampDate, type Timestamp } from "@bufbuild/protobuf/wkt";
import type { TFunction } from "i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { onDial } from "#/domain/dial";
import { equipmentFuelWord, overallStatusWord, typeWord, unitWord } from "#/domain/equipment-wire";
import type { EquipmentLabels } from "#/shared/words/use-equipment-labels";
import { csv, type Cell } from "#/shared/csv/csv";
import { download } from "#/shared/csv/download";
import { fileDate } from "#/shared/csv/file-date";
import { statusOf } from "../table/shown-status";

interface CsvColumn {
  header: string;
  value: (row: Equipment) => Cell;
}

export type CsvColumnName = keyof ReturnType<typeof csvColumns>;

/** The columns available to exports. Dates use a format that every spreadsheet parses. */
function csvColumns(t: TFunction, labels: EquipmentLabels, earlierWarnings: boolean) {
  const column = (header: string, value: CsvColumn["value"]): CsvColumn => ({ header, value });
  return {
    name: column(t("equipment.csv.name"), (row) => row.name),
    type: column(t("equipment.columns.type"), (row) => labels.type(typeWord(row.type))),
    unitNumber: column(t("equipment.form.unitNumber"), (row) => row.unitNumber ?? null),
    serialNumber: column(t("equipment.csv.serialNumber"), (row) => row.serialNumber ?? null),
    unit: column(t("equipment.csv.unit"), (row) => labels.unit(unitWord(row.unit))),
    usage: column(t("equipment.columns.currentUsage"), (row) => row.meterReading),
    threshold: column(t("equipment.columns.threshold"), (row) => row.threshold ?? null),
    fuel: column(t("equipment.columns.fuelType"), (row) =>
      labels.fuel(equipmentFuelWord(row.fuel)),
    ),
    interval: column(t("equipment.columns.serviceInterval"), (row) => row.serviceInterval || null),
    // On the scale of current usage, so that the difference is the usage since.
    lastService: column(t("equipment.csv.lastServiceUsage"), (row) =>
      row.lastServiceUsage === undefined ? null : onDial(row, row.lastServiceUsage),
    ),
    overall: column(t("equipment.columns.status"), (row) =>
      labels.overall(overallStatusWord(row.overallStatus)),
    ),
    badge: column(t("equipment.columns.status"), (row) =>
      labels.badge(statusOf(row, earlierWarnings).status),
    ),
    serviceStatus: column(t("equipment.columns.serviceStatus"), (row) =>
      labels.badge(statusOf(row).status),
    ),
    scheduled: column(t("equipment.csv.scheduled"), (row) =>
      row.hasScheduledMaintenance ? t("equipment.csv.yes") : t("equipment.csv.no"),
    ),
    nextDate: column(t("equipment.csv.nextDate"), (row) => row.nextMaintenanceDate || null),
    dateAdded: column(t("equipment.csv.dateAdded"), (row) => day(row.dateAdded)),
    updated: column(t("equipment.columns.lastUpdated"), (row) => day(row.lastUpdated)),
  };
}

function day(at: Timestamp | undefined): string | null {
  return at ? fileDate(timestampDate(at)) : null;
}

export function saveEquipmentCsv(
  fileName: string,
  names: readonly CsvColumnName[],
  rows: readonly Equipment[],
  t: TFunction,
  labels: EquipmentLabels,
  earlierWarnings: boolean,
): void {
  const all = csvColumns(t, labels, earlierWarnings);
  const columns = names.map((name) => all[name]);
  const text = csv(
    columns.map((column) => column.header),
    rows.map((row) => columns.map((column) => column.value(row))),
  );
  download(fileName, text);
}
