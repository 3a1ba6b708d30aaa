import { timestampDate, type Timestamp } from "@bufbuild/protobuf/wkt";
import type { Transport } from "@connectrpc/connect";
import type { TFunction } from "i18next";
import type { Equipment, SnoozedTask } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { dayIn } from "#/domain/calendar";
import type { EquipmentFilter } from "#/domain/equipment-filter";
import { equipmentFuelWord, operationalWord, typeWord, unitWord } from "#/domain/equipment-wire";
import { operationalLabel } from "#/shared/words/operational-label";
import type { EquipmentLabels } from "#/shared/words/use-equipment-labels";
import { csv, type Cell } from "#/shared/csv/csv";
import { download } from "#/shared/csv/download";
import { fileDate } from "#/shared/csv/file-date";
import { allPages } from "../table/all-pages";
import type { PageOrder } from "../table/equipment-pages";
import { statusText } from "./status-text";

interface CsvColumn {
  header: string;
  value: (row: Equipment) => Cell;
}

type CsvColumnName = keyof ReturnType<typeof csvColumns>;

/**
 * The columns available to exports: usage, lifespan and last service are life-to-date, over all meters.
 * Dates use a format that every spreadsheet parses and are those of the company's zone.
 */
function csvColumns(t: TFunction, labels: EquipmentLabels, earlierWarnings: boolean, zone: string) {
  const day = (at: Timestamp | undefined) => (at ? dayIn(zone, timestampDate(at)) : null);
  const column = (header: string, value: CsvColumn["value"]): CsvColumn => ({ header, value });
  return {
    name: column(t("equipment.columns.name"), (row) => row.name),
    type: column(t("equipment.columns.type"), (row) => labels.type(typeWord(row.type))),
    unitNumber: column(t("equipment-form.fields.unitNumber"), (row) => row.unitNumber ?? null),
    group: column(t("equipment-form.fields.group"), (row) => row.group ?? null),
    serialNumber: column(t("equipment-list.csv.serialNumber"), (row) => row.serialNumber ?? null),
    unit: column(t("equipment-list.csv.unit"), (row) => labels.unit(unitWord(row.unit))),
    usage: column(t("equipment.columns.currentUsage"), (row) => row.currentUsage),
    threshold: column(t("equipment.columns.threshold"), (row) => row.threshold ?? null),
    fuel: column(t("equipment.columns.fuelType"), (row) =>
      labels.fuel(equipmentFuelWord(row.fuel)),
    ),
    interval: column(t("equipment.columns.serviceInterval"), (row) => row.serviceInterval || null),
    lastService: column(
      t("equipment-list.csv.lastServiceUsage"),
      (row) => row.lastServiceUsage ?? null,
    ),
    badge: column(t("equipment.columns.status"), (row) =>
      statusText(t, labels, row, earlierWarnings),
    ),
    // The documented header of the dashboard's file, with the status that the screens show.
    status: column(t("equipment.columns.status"), (row) => statusText(t, labels, row)),
    serviceStatus: column(t("equipment.columns.serviceStatus"), (row) =>
      statusText(t, labels, row),
    ),
    scheduled: column(t("equipment-list.csv.scheduled"), (row) =>
      row.hasScheduledMaintenance ? t("equipment-list.csv.yes") : t("equipment-list.csv.no"),
    ),
    nextDate: column(t("equipment-list.csv.nextDate"), (row) => row.nextMaintenanceDate || null),
    operational: column(t("equipment.operational.label"), (row) =>
      operationalLabel(t, operationalWord(row.operationalStatus)),
    ),
    // Blank for a meter that was never read.
    readingAge: column(t("equipment-list.csv.readingAge"), (row) =>
      row.meterReadAt ? (row.meterAgeDays ?? null) : null,
    ),
    projectedDue: column(
      t("equipment-list.csv.projectedDue"),
      (row) => row.projectedDueDate || null,
    ),
    projectedEarliest: column(
      t("equipment-list.csv.projectedEarliest"),
      (row) => row.projectedDueEarliest || null,
    ),
    projectedLatest: column(
      t("equipment-list.csv.projectedLatest"),
      (row) => row.projectedDueLatest || null,
    ),
    projectedTask: column(t("equipment-list.csv.projectedTask"), ({ projectedDueTask: task }) =>
      task ? task.name || t("equipment-detail.tasks.regular") : null,
    ),
    missedRounds: column(t("equipment-list.csv.missedRounds"), (row) => row.missedRounds || null),
    snoozed: column(
      t("equipment-list.csv.snoozed"),
      (row) => row.snoozedTasks.map((task) => snoozedText(t, labels, row, task)).join("; ") || null,
    ),
    meter: column(t("equipment-list.csv.meter"), (row) =>
      unitWord(row.unit) === "n/a" ? null : row.meterReading,
    ),
    dateAdded: column(t("equipment-list.csv.dateAdded"), (row) => day(row.dateAdded)),
    updated: column(t("equipment.columns.lastUpdated"), (row) => day(row.lastUpdated)),
  };
}

/** The columns of each file, before the reading on the meter. */
const columnsOf = {
  report: [
    "name",
    "type",
    "usage",
    "threshold",
    "unit",
    "status",
    "updated",
    "readingAge",
    "projectedDue",
    "missedRounds",
    "snoozed",
    "group",
  ],
  list: [
    "name",
    "type",
    "serialNumber",
    "unit",
    "usage",
    "threshold",
    "fuel",
    "interval",
    "lastService",
    "badge",
    "scheduled",
    "nextDate",
    "dateAdded",
    "unitNumber",
    "operational",
    "readingAge",
    "projectedDue",
    "projectedEarliest",
    "projectedLatest",
    "projectedTask",
    "missedRounds",
    "snoozed",
    "group",
  ],
  status: [
    "name",
    "type",
    "fuel",
    "usage",
    "interval",
    "unit",
    "serviceStatus",
    "updated",
    "readingAge",
    "projectedDue",
    "group",
    "missedRounds",
    "snoozed",
  ],
  service: [
    "projectedDue",
    "projectedEarliest",
    "projectedLatest",
    "projectedTask",
    "unitNumber",
    "name",
    "group",
    "type",
    "usage",
    "unit",
    "readingAge",
    "serviceStatus",
    "missedRounds",
    "snoozed",
  ],
} satisfies Record<string, readonly CsvColumnName[]>;

type CsvFile = keyof typeof columnsOf;

function fileName(file: CsvFile, day: string, status = ""): string {
  switch (file) {
    case "report":
      return "equipment-maintenance-report.csv";
    case "list":
      return `equipment-list-${day}.csv`;
    case "status":
      return `equipment-${status}-${day}.csv`;
    case "service":
      return `service-${day}.csv`;
  }
}

/** "Oil filter: snoozed until 2026-03-12: parts ordered" */
function snoozedText(
  t: TFunction,
  labels: EquipmentLabels,
  row: Equipment,
  { name, snooze }: SnoozedTask,
): string {
  const { untilDate = "", untilUsage, reason = "" } = snooze ?? {};
  const until =
    untilUsage === undefined ? untilDate : labels.amount(untilUsage, unitWord(row.unit));
  return t("equipment-detail.snooze.named", {
    name: name || t("equipment-detail.tasks.regular"),
    text: t("equipment-detail.snooze.until", { until, reason }),
  });
}

/** Saves `rows`, or all matching equipment; returns the file's name. */
export async function saveEquipmentCsv(
  request: {
    transport: Transport;
    filter: EquipmentFilter;
    order: PageOrder;
    rows: readonly Equipment[] | void;
  },
  {
    file,
    status,
    t,
    labels,
    earlierWarnings,
    zone,
  }: {
    file: CsvFile;
    status: string | undefined;
    t: TFunction;
    labels: EquipmentLabels;
    earlierWarnings: boolean;
    zone: string;
  },
): Promise<string> {
  const rows = request.rows ?? (await allPages(request.transport, request.filter, request.order));
  const all = csvColumns(t, labels, earlierWarnings, zone);
  const columns = [...columnsOf[file].map((name) => all[name]), all.meter];
  const text = csv(
    columns.map((column) => column.header),
    rows.map((row) => columns.map((column) => column.value(row))),
  );
  const name = fileName(file, fileDate(new Date()), status);
  download(name, text);
  return name;
}
