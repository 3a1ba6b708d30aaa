import { useMutation } from "@tanstack/react-query";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import * as v from "valibot";
import { useErrorText } from "#/api/error-text";
import { rest } from "#/api/rest";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { useRecordText } from "#/shared/words/use-record-text";
import { csv } from "#/shared/csv/csv";
import { download } from "#/shared/csv/download";
import { fileDate } from "#/shared/csv/file-date";
import { useFormat } from "#/shared/format/use-format";
import { toast } from "#/shared/toast/store";

const rowSchema = v.object({
  equipmentName: v.string(),
  type: v.picklist(["update", "note"]),
  noteType: v.picklist(["note", "usage_update", "maintenance"]),
  operatorName: v.string(),
  usage: v.nullable(v.number()),
  fuelAdded: v.number(),
  fuelType: v.nullable(v.picklist(["gas", "diesel"])),
  taskName: v.nullish(v.string()),
  content: v.string(),
  meterReplacement: v.nullish(v.object({})),
  voided: v.nullish(v.object({ reason: v.string(), by: v.string(), at: v.string() })),
  capturedAt: v.nullish(v.string()),
  createdAt: v.string(),
});
type Row = v.InferOutput<typeof rowSchema>;

function loadHistory(): Promise<Row[]> {
  return rest("GET", "/api/equipment-history/export", v.array(rowSchema));
}

/** The whole history of the company as a file, not only what was scrolled through. */
export function useExportHistory() {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const cells = useCells();
  const { mutate, isPending } = useMutation({
    mutationFn: loadHistory,
    onSuccess: (rows) => {
      if (rows.length === 0) {
        toast.failure(t("dashboard.csv.noData"), t("dashboard.history.nothingToExport"));
        return;
      }
      download(
        `equipment-history-all-${fileDate(new Date())}.csv`,
        csv(headerOf(t), rows.map(cells)),
      );
      toast.success(t("dashboard.csv.done"), t("dashboard.csv.doneText", { count: rows.length }));
    },
    onError: (error) => toast.failure(t("dashboard.csv.failed"), errorText(error)),
  });
  return { exportHistory: () => mutate(), exporting: isPending };
}

function headerOf(t: TFunction): string[] {
  return [
    t("dashboard.csv.date"),
    t("dashboard.csv.equipment"),
    t("dashboard.csv.type"),
    t("dashboard.csv.noteType"),
    t("dashboard.csv.operator"),
    t("dashboard.csv.usage"),
    t("dashboard.csv.fuelAdded"),
    t("dashboard.csv.fuelType"),
    t("dashboard.csv.content"),
    t("dashboard.csv.voided"),
  ];
}

function useCells() {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const format = useFormat();
  const text = useRecordText();
  return (row: Row) => [
    dayAndTime(row.capturedAt ?? row.createdAt),
    row.equipmentName,
    row.type === "update" ? t("dashboard.csv.update") : t("dashboard.csv.note"),
    noteTypeText(t, row.noteType),
    row.operatorName,
    row.usage,
    row.fuelAdded > 0 ? row.fuelAdded : null,
    row.fuelType ? labels.fuelKind(row.fuelType) : "",
    contentOf(row, text),
    row.voided
      ? t("dashboard.history.voided", {
          by: row.voided.by,
          date: format.instantDay(row.voided.at),
          reason: row.voided.reason,
        })
      : "",
  ];
}

/** What the server wrote by itself is told in the reader's language, as on the screen. */
function contentOf(row: Row, text: ReturnType<typeof useRecordText>): string {
  if (row.meterReplacement) return text.meter(row.content);
  if (row.noteType === "maintenance") {
    const service = text.service(row.content);
    return row.taskName ? [row.taskName, service].filter(Boolean).join("\n") : service;
  }
  return row.type === "note" && row.noteType === "note" ? text.edit(row.content) : row.content;
}

function noteTypeText(t: TFunction, type: Row["noteType"]): string {
  switch (type) {
    case "note":
      return t("dashboard.csv.note");
    case "usage_update":
      return t("dashboard.csv.usageUpdate");
    case "maintenance":
      return t("dashboard.csv.maintenance");
  }
}

/** "2025-01-05 08:15" by the reader's clock: spreadsheets in every language read and sort it. */
function dayAndTime(instant: string): string {
  const date = new Date(instant);
  return `${fileDate(date)} ${date.toTimeString().slice(0, 5)}`;
}
