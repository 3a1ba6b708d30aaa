import { timestampDate } from "@bufbuild/protobuf/wkt";
import { useTransport } from "@connectrpc/connect-query";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { FuelKind, type HistoryRecord } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { fuelKindWord } from "#/domain/equipment-wire";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { useRecordText } from "#/shared/words/use-record-text";
import { csv, type Cell } from "#/shared/csv/csv";
import { download } from "#/shared/csv/download";
import { fileDate } from "#/shared/csv/file-date";
import { toast } from "#/shared/toast/store";
import { wholeHistory, type HistoryChoice } from "./queries";
import { useRecordWords } from "./use-record-words";

/** Loads all filtered entries and downloads them as a file; reports an empty result. */
export function useHistoryExport(choice: HistoryChoice) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const transport = useTransport();
  const history = useHistoryTable();
  const fuel = useFuelTable();
  const table = choice.fuelOnly ? fuel : history;
  const { mutate, isPending } = useMutation({
    mutationFn: () => wholeHistory(transport, choice),
    onSuccess: (records) => {
      const rows = table.rows(records);
      if (rows.length === 0) {
        toast.failure(t("equipment-detail.export.none"), t("equipment-detail.export.noneText"));
        return;
      }
      const name = choice.fuelOnly ? "fuel-usage-export" : "equipment-history";
      download(
        `${name}-${choice.equipmentId}-${fileDate(new Date())}.csv`,
        csv(table.header, rows),
      );
      toast.success(
        t("equipment-detail.export.done"),
        t("equipment-detail.export.doneText", { count: rows.length }),
      );
    },
    onError: (error) => toast.failure(t("equipment-detail.export.failed"), errorText(error)),
  });
  return { run: () => mutate(), pending: isPending };
}

interface Table {
  header: string[];
  rows: (records: readonly HistoryRecord[]) => Cell[][];
}

function useHistoryTable(): Table {
  const { t } = useTranslation();
  const words = useRecordWords();
  const labels = useEquipmentLabels();
  const text = useRecordText();
  return {
    header: [
      t("equipment-detail.csv.date"),
      t("equipment-detail.csv.equipment"),
      t("equipment-detail.csv.type"),
      t("equipment-detail.csv.noteType"),
      t("equipment-detail.csv.operator"),
      t("equipment-detail.csv.usage"),
      t("equipment-detail.csv.fuelAdded"),
      t("equipment-detail.csv.fuelType"),
      t("equipment-detail.csv.content"),
      t("equipment-detail.csv.voided"),
    ],
    rows: (records) =>
      records.map((record) => [
        dayAndTime(record),
        record.equipmentName,
        record.taskName === "" ? words.kind(record) : `${words.kind(record)}: ${record.taskName}`,
        words.noteType(record),
        record.operatorName,
        record.usage ?? null,
        record.fuelAdded > 0 ? record.fuelAdded : null,
        record.fuelKind === FuelKind.UNSPECIFIED
          ? ""
          : labels.fuelKind(fuelKindWord(record.fuelKind)),
        contentOf(record, words, text),
        record.voiding ? words.voided(record.voiding) : "",
      ]),
  };
}

/**
 * Details that the screen shows beside an entry have no column in the file; they join the content.
 */
function contentOf(
  record: HistoryRecord,
  words: ReturnType<typeof useRecordWords>,
  text: ReturnType<typeof useRecordText>,
): string {
  const content = words.content(record);
  const cost = record.cost === undefined ? "" : text.cost(Math.round(record.cost * 100));
  const parts = [
    content,
    words.dial(record),
    words.lateReading(record),
    cost,
    words.performed(record),
  ];
  return parts.filter((part) => part !== "").join("\n");
}

/** The columns of the fuel export, without voided entries. */
function useFuelTable(): Table {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  return {
    header: [
      t("equipment-detail.csv.date"),
      t("equipment-detail.csv.equipment"),
      t("equipment-detail.csv.operator"),
      t("equipment-detail.csv.fuelType"),
      t("equipment-detail.csv.fuelAdded"),
      t("equipment-detail.csv.notes"),
    ],
    rows: (records) =>
      records
        .filter((record) => !record.voiding)
        .map((record) => [
          dayAndTime(record),
          record.equipmentName,
          record.operatorName,
          labels.fuelKind(fuelKindWord(record.fuelKind)),
          record.fuelAdded,
          record.content,
        ]),
  };
}

/** "2025-01-05 08:15" in local time: spreadsheets in every language parse and sort it. */
function dayAndTime(record: HistoryRecord): string {
  const when = record.capturedAt ?? record.createdAt;
  if (!when) return "";
  const date = timestampDate(when);
  return `${fileDate(date)} ${date.toTimeString().slice(0, 5)}`;
}
