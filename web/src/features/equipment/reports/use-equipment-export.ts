import { useTransport } from "@connectrpc/connect-query";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import type { EquipmentFilter } from "#/domain/equipment-filter";
import { download } from "#/shared/csv/download";
import { fileDate } from "#/shared/csv/file-date";
import { toast } from "#/shared/toast/store";
import { allPages, type PageOrder } from "../table/equipment-pages";
import { equipmentCsv, type CsvColumn } from "./use-csv-columns";

/** Saves everything that matches as a CSV file, also what has not come on screen yet. */
export function useEquipmentExport({
  filename,
  columns,
  filter,
  order,
}: {
  /** By the day it is saved. */
  filename: (day: string) => string;
  columns: readonly CsvColumn[];
  filter: EquipmentFilter;
  order: PageOrder;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const transport = useTransport();
  return useMutation({
    mutationFn: () => allPages(transport, filter, order),
    onSuccess: (rows) => {
      const name = filename(fileDate(new Date()));
      download(name, equipmentCsv(columns, rows));
      toast.success(t("equipment.export.done"), t("equipment.export.doneText", { filename: name }));
    },
    onError: (error) => toast.failure(t("equipment.export.failed"), errorText(error)),
  });
}
