import { useTransport } from "@connectrpc/connect-query";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { EquipmentFilter } from "#/domain/equipment-filter";
import type { PrintColumn } from "#/shared/print/store";
import { usePrintReport } from "#/shared/print/use-print-report";
import { toast } from "#/shared/toast/store";
import { allPages } from "../table/all-pages";
import type { PageOrder } from "../table/equipment-pages";

export interface ReportColumn extends PrintColumn {
  value: (row: Equipment) => string;
}

/** Prints all matching equipment as a report, including rows that are not loaded. */
export function useEquipmentPrint({
  title,
  describe,
  columns,
  filter,
  order,
}: {
  title: string;
  /** The filter and the count. */
  describe: (count: number) => string;
  columns: readonly ReportColumn[];
  filter: EquipmentFilter;
  order: PageOrder;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const transport = useTransport();
  const print = usePrintReport();
  return useMutation({
    mutationFn: () => allPages(transport, filter, order),
    onSuccess: (rows) =>
      print({
        title,
        note: describe(rows.length),
        columns,
        rows: rows.map((row) => columns.map((column) => column.value(row))),
      }),
    onError: (error) => toast.failure(t("equipment-list.print.failed"), errorText(error)),
  });
}
