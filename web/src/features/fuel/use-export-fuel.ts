import { timestampDate, type Timestamp } from "@bufbuild/protobuf/wkt";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { dayIn } from "#/domain/calendar";
import { useCompanyZone } from "#/shared/use-company-day";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { csv } from "#/shared/csv/csv";
import { download } from "#/shared/csv/download";
import { fileDate } from "#/shared/csv/file-date";
import { toast } from "#/shared/toast/store";
import { loadFuelRows, type FuelRow } from "./queries";
import { isWithin, type FuelDays } from "./range";

/** Exports the fuel entries of the selected range. */
export function useExportFuel(days: FuelDays | null, periodBeganAt: Timestamp | undefined) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const labels = useEquipmentLabels();
  const zone = useCompanyZone();
  const began = periodBeganAt && timestampDate(periodBeganAt);
  const isShown = (row: FuelRow): boolean => {
    if (!days) return false;
    const when = new Date(row.date);
    const period = days.from === "" && days.to === "";
    return period ? !began || when >= began : isWithin(days, dayIn(zone, when));
  };
  const write = (rows: readonly FuelRow[]) => {
    const header = [
      t("fuel.csv.date"),
      t("fuel.csv.equipment"),
      t("fuel.csv.operator"),
      t("fuel.csv.fuelType"),
      t("fuel.csv.fuelAdded", { unit: labels.fuelUnit }),
      t("fuel.csv.notes"),
    ];
    const lines = rows.map((row) => [
      dayIn(zone, new Date(row.date)),
      row.equipmentName,
      row.operatorName,
      labels.fuelKind(row.fuelType),
      row.fuelAdded,
      row.notes ?? "",
    ]);
    download(`fuel-usage-export-${fileDate(new Date())}.csv`, csv(header, lines));
  };
  const exporting = useMutation({
    mutationFn: loadFuelRows,
    onSuccess: (all) => {
      const rows = all.filter(isShown);
      if (rows.length === 0) {
        const reason = all.length === 0 ? t("fuel.csv.nothing") : t("fuel.csv.nothingInRange");
        toast.failure(t("fuel.csv.noData"), reason);
        return;
      }
      write(rows);
      toast.success(t("fuel.csv.done"), t("fuel.csv.doneText", { count: rows.length }));
    },
    onError: (error) => toast.failure(t("fuel.csv.failed"), errorText(error)),
  });
  return { exportFuel: () => exporting.mutate(), exporting: exporting.isPending };
}
