import { timestampDate, type Timestamp } from "@bufbuild/protobuf/wkt";
import { useTransport } from "@connectrpc/connect-query";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import type {
  EquipmentFuelUse,
  GetFuelSummaryResponse,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { dayIn } from "#/domain/calendar";
import { useCompanyZone } from "#/shared/use-company-day";
import { useConsumptionText } from "#/shared/words/consumption-text";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { useRecordText } from "#/shared/words/use-record-text";
import { csv, type Cell } from "#/shared/csv/csv";
import { download } from "#/shared/csv/download";
import { fileDate } from "#/shared/csv/file-date";
import { useFormat } from "#/shared/format/use-format";
import { usePrintReport } from "#/shared/print/use-print-report";
import { toast } from "#/shared/toast/store";
import { fuelSummaryQuery, loadFuelRows, type FuelRow } from "./queries";
import { isWithin, type FuelDays } from "./range";

/** How days and amounts are written. */
interface Style {
  day: (day: string) => string;
  amount: (amount: number) => Cell;
}

const inFile: Style = { day: (day) => day, amount: (amount) => amount };

/** Exports or prints the fuel entries of the selected range; on request with the consumption of their machines. */
export function useExportFuel(
  days: FuelDays | null,
  periodBeganAt: Timestamp | undefined,
  withConsumption: boolean,
) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const labels = useEquipmentLabels();
  const zone = useCompanyZone();
  const format = useFormat();
  const consumptionText = useConsumptionText();
  const recordText = useRecordText();
  const began = periodBeganAt && timestampDate(periodBeganAt);
  const isShown = (row: FuelRow): boolean => {
    if (!days) return false;
    const when = new Date(row.date);
    const period = days.from === "" && days.to === "";
    return period ? !began || when >= began : isWithin(days, dayIn(zone, when));
  };
  const print = usePrintReport();
  const transport = useTransport();
  const client = useQueryClient();
  const consumptionOf = ({ equipmentId }: FuelRow, uses: readonly EquipmentFuelUse[]): string => {
    const use = uses.find((each) => each.equipmentId === equipmentId);
    const text = use && consumptionText(use);
    return text ? `${text.amount}, ${text.basis}` : "";
  };
  /** Fuel of deleted equipment, which has no entries: what the totals on screen have beyond the rows. */
  const deletedLines = (
    rows: readonly FuelRow[],
    totals: GetFuelSummaryResponse | undefined,
    style: Style,
  ) =>
    (["gas", "diesel"] as const).flatMap((kind) => {
      const ofKind = rows.filter((row) => row.fuelType === kind);
      const listed = ofKind.reduce((sum, row) => sum + row.fuelAdded, 0);
      const amount = Math.round(((totals?.[kind] ?? 0) - listed) * 100) / 100;
      return amount > 0
        ? [
            [
              "",
              t("fuel.csv.deleted"),
              "",
              labels.fuelKind(kind),
              style.amount(amount),
              "",
              "",
              "",
              "",
            ],
          ]
        : [];
    });
  const fuelAdded = t("fuel.csv.fuelAdded", { unit: labels.fuelUnit });
  const tableOf = (
    rows: readonly FuelRow[],
    totals: GetFuelSummaryResponse | undefined,
    style: Style,
  ) => {
    const header = [
      t("fuel.csv.date"),
      t("fuel.csv.equipment"),
      t("fuel.csv.operator"),
      t("fuel.csv.fuelType"),
      fuelAdded,
      t("fuel.csv.notes"),
      t("equipment-history.csv.fullFill"),
      ...(withConsumption ? [t("fuel.csv.consumption")] : []),
      t("equipment-form.fields.group"),
    ];
    const lines = rows.map((row): Cell[] => [
      style.day(dayIn(zone, new Date(row.date))),
      row.equipmentName,
      row.operatorName,
      labels.fuelKind(row.fuelType),
      style.amount(row.fuelAdded),
      recordText.update(row.notes ?? ""),
      row.fullFill ? t("equipment-list.csv.yes") : "",
      ...(withConsumption ? [consumptionOf(row, totals?.byEquipment ?? [])] : []),
      row.group ?? "",
    ]);
    lines.push(...deletedLines(rows, totals, style));
    return { header, lines };
  };
  /** The selected range in words. */
  const rangeText = ({ from, to }: FuelDays): string => {
    if (from === "" && to === "") {
      return began ? t("fuel.since", { date: format.calendarDate(dayIn(zone, began)) }) : "";
    }
    return [
      from && t("equipment-detail.history.since", { date: format.calendarDate(from) }),
      to && t("equipment-detail.history.until", { date: format.calendarDate(to) }),
    ]
      .filter(Boolean)
      .join(" · ");
  };
  const exporting = useMutation({
    mutationFn: async (_way: "csv" | "print") => {
      const summary =
        withConsumption && days
          ? await client.fetchQuery(fuelSummaryQuery(transport, days))
          : undefined;
      return { all: await loadFuelRows(), summary };
    },
    onSuccess: ({ all, summary }, way) => {
      const rows = all.filter(isShown);
      const style = way === "print" ? { day: format.calendarDate, amount: format.number } : inFile;
      const { header, lines } = tableOf(rows, summary, style);
      if (lines.length === 0) {
        const reason = all.length === 0 ? t("fuel.csv.nothing") : t("fuel.csv.nothingInRange");
        toast.failure(way === "print" ? t("fuel.nothingToPrint") : t("fuel.csv.noData"), reason);
        return;
      }
      if (way === "print") {
        print({
          title: t("fuel.records.title"),
          note: days ? rangeText(days) : "",
          columns: header.map((name) => ({
            header: name,
            align: name === fuelAdded ? "end" : "start",
          })),
          rows: lines,
        });
        return;
      }
      download(`fuel-usage-export-${fileDate(new Date())}.csv`, csv(header, lines));
      toast.success(t("fuel.csv.done"), t("fuel.csv.doneText", { count: rows.length }));
    },
    onError: (error) => toast.failure(t("fuel.csv.failed"), errorText(error)),
  });
  const pending = exporting.isPending && exporting.variables;
  return {
    exportFuel: () => exporting.mutate("csv"),
    exporting: pending === "csv",
    printFuel: () => exporting.mutate("print"),
    printing: pending === "print",
  };
}
