import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import * as v from "valibot";
import { useErrorText } from "#/api/error-text";
import { rest } from "#/api/rest";
import { csv } from "#/shared/csv/csv";
import { download } from "#/shared/csv/download";
import { fileDate } from "#/shared/csv/file-date";
import {
  historyRowSchema,
  historyTime,
  useHistoryTable,
  type HistoryRow,
} from "#/shared/csv/history-table";
import { toast } from "#/shared/toast/store";

function loadHistory(): Promise<HistoryRow[]> {
  return rest("GET", "/api/equipment-history/export", v.array(historyRowSchema));
}

const timeOf = (row: HistoryRow) => Date.parse(historyTime(row));
/** By when things happened, newest first, as on the dashboard. */
const byTime = (a: HistoryRow, b: HistoryRow) => timeOf(b) - timeOf(a);

/** Exports the whole history, not only the loaded entries. */
export function useExportHistory() {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const table = useHistoryTable();
  const { mutate, isPending } = useMutation({
    mutationFn: loadHistory,
    onSuccess: (rows) => {
      if (rows.length === 0) {
        toast.failure(t("equipment-history.csv.noData"), t("equipment-history.nothingToExport"));
        return;
      }
      download(
        `equipment-history-all-${fileDate(new Date())}.csv`,
        csv(table.header, rows.toSorted(byTime).map(table.cells)),
      );
      toast.success(
        t("equipment-history.csv.done"),
        t("equipment-history.csv.doneText", { count: rows.length }),
      );
    },
    onError: (error) => toast.failure(t("equipment-history.csv.failed"), errorText(error)),
  });
  return { exportHistory: () => mutate(), exporting: isPending };
}
