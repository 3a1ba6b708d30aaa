import { timestampDate, type Timestamp } from "@bufbuild/protobuf/wkt";
import { useTransport } from "@connectrpc/connect-query";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import {
  FuelKind,
  HistoryKind,
  NoteType,
  type HistoryRecord,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { fuelKindWord, unitWord } from "#/domain/equipment-wire";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { useRecordText } from "#/shared/words/use-record-text";
import { csv, type Cell } from "#/shared/csv/csv";
import { download } from "#/shared/csv/download";
import { dayAndTime, fileDate } from "#/shared/csv/file-date";
import { useHistoryTable, type HistoryRow } from "#/shared/csv/history-table";
import { toast } from "#/shared/toast/store";
import { useCompanyZone } from "#/shared/use-company-day";
import { wholeHistory, type HistoryChoice } from "./queries";
import { useRecordWords } from "./use-record-words";

/** Downloads the given entries, or all filtered ones, as a file; reports an empty result. */
export function useHistoryExport(choice: HistoryChoice) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const transport = useTransport();
  const history = useHistory();
  const fuel = useFuelTable();
  const table = choice.fuelOnly ? fuel : history;
  const { mutate, isPending } = useMutation({
    mutationFn: async (chosen: readonly HistoryRecord[] | void) =>
      chosen ?? wholeHistory(transport, choice),
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
  return { run: () => mutate(), runFor: mutate, pending: isPending };
}

interface Table {
  header: string[];
  rows: (records: readonly HistoryRecord[]) => Cell[][];
}

function useHistory(): Table {
  const { t } = useTranslation();
  const { header, cells } = useHistoryTable();
  const words = useRecordWords();
  return {
    header: [...header, t("equipment-form.fields.group"), t("equipment-history.csv.correction")],
    rows: (records) =>
      records.map((record) => [
        ...cells({ ...historyRow(record), taskName: words.task(record) }),
        record.group ?? "",
        words.corrected(record),
      ]),
  };
}

const kinds: Partial<Record<HistoryKind, Pick<HistoryRow, "kind" | "type" | "noteType">>> = {
  [HistoryKind.USAGE]: { kind: "usage", type: "update", noteType: "usage_update" },
  [HistoryKind.METER]: { kind: "meter", type: "update", noteType: "usage_update" },
  [HistoryKind.SERVICE]: { kind: "service", type: "note", noteType: "maintenance" },
  [HistoryKind.EDIT]: { kind: "edit", type: "note", noteType: "note" },
  [HistoryKind.RETIREMENT]: { kind: "retirement", type: "note", noteType: "note" },
  [HistoryKind.RESTORATION]: { kind: "restoration", type: "note", noteType: "note" },
};

const noteTypes: Partial<Record<NoteType, HistoryRow["noteType"]>> = {
  [NoteType.USAGE_UPDATE]: "usage_update",
  [NoteType.MAINTENANCE]: "maintenance",
};

const instant = (at: Timestamp | undefined): string => (at ? timestampDate(at).toISOString() : "");

/** The entry as the REST export has it. */
function historyRow(record: HistoryRecord): HistoryRow {
  const { equipmentName, operatorName, usage, reading, fuelAdded, taskName, content, cost } =
    record;
  const voiding = record.voiding;
  return {
    equipmentName,
    operatorName,
    reading,
    fuelAdded,
    taskName,
    content,
    ...(kinds[record.kind] ?? {
      kind: "note",
      type: "note",
      noteType: noteTypes[record.noteType] ?? "note",
    }),
    cost,
    usage: usage ?? null,
    unit: unitWord(record.unit),
    fullFill: record.fullFill,
    fuelType: record.fuelKind === FuelKind.UNSPECIFIED ? null : fuelKindWord(record.fuelKind),
    meterReplacement: record.meterReplacement ? {} : null,
    voided: voiding
      ? {
          reason: voiding.reason,
          undone: voiding.undone,
          by: voiding.by,
          at: instant(voiding.at),
          replacedBy: voiding.replacedBy,
        }
      : null,
    capturedAt: record.capturedAt ? instant(record.capturedAt) : null,
    createdAt: instant(record.createdAt),
  };
}

/** The columns of the fuel export, without voided entries. */
function useFuelTable(): Table {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const zone = useCompanyZone();
  const text = useRecordText();
  const { corrected } = useRecordWords();
  return {
    header: [
      t("equipment-detail.csv.date"),
      t("equipment-detail.csv.equipment"),
      t("equipment-detail.csv.operator"),
      t("equipment-detail.csv.fuelType"),
      t("equipment-history.csv.fuelAdded", { unit: labels.fuelUnit }),
      t("equipment-detail.csv.notes"),
      t("equipment-history.csv.fullFill"),
      t("equipment-form.fields.group"),
      t("equipment-history.csv.correction"),
    ],
    rows: (records) =>
      records
        .filter((record) => !record.voiding)
        .map((record) => [
          dayAndTime(zone, new Date(instant(record.capturedAt ?? record.createdAt))),
          record.equipmentName,
          record.operatorName,
          labels.fuelKind(fuelKindWord(record.fuelKind)),
          record.fuelAdded,
          text.update(record.content),
          record.fullFill ? t("equipment-list.csv.yes") : "",
          record.group ?? "",
          corrected(record),
        ]),
  };
}
