import { timestampDate } from "@bufbuild/protobuf/wkt";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { equipmentFuelWord, typeWord, unitWord } from "#/domain/equipment-wire";
import { useCompanyDay } from "#/shared/use-company-day";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { useFormat } from "#/shared/format/use-format";
import { useDialText } from "../meters/use-dial-text";
import { nextDue } from "../detail/next-due";
import { useForecastText } from "../table/forecast-text";
import { useReadingAge } from "../table/reading-age";
import { nextServiceAt } from "#/domain/next-service";
import { useSnoozeTexts } from "../table/snooze-lines";
import type { ReportColumn } from "./use-equipment-print";
import { useEarlierWarnings } from "../table/shown-status";
import { statusText } from "./status-text";

/** The columns available to printed reports. */
export function useReportColumns() {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const format = useFormat();
  const dial = useDialText();
  const earlierWarnings = useEarlierWarnings();
  const age = useReadingAge();
  const forecast = useForecastText();
  const today = useCompanyDay();
  const snoozed = useSnoozeTexts();
  return useMemo(() => {
    const column = (
      header: string,
      value: ReportColumn["value"],
      align: "start" | "end" = "start",
    ): ReportColumn => ({ header, value, align });
    return {
      name: column(t("equipment.columns.name"), (row) => row.name),
      unitNumber: column(t("equipment-form.fields.unitNumber"), (row) => row.unitNumber ?? ""),
      group: column(t("equipment-form.fields.group"), (row) => row.group ?? ""),
      serialNumber: column(t("equipment-list.csv.serialNumber"), (row) => row.serialNumber ?? ""),
      type: column(t("equipment.columns.type"), (row) => labels.type(typeWord(row.type))),
      fuel: column(t("equipment.columns.fuelType"), (row) =>
        labels.fuel(equipmentFuelWord(row.fuel)),
      ),
      usage: column(
        t("equipment.columns.currentUsage"),
        (row) => [dial.reading(row), age(row)].filter(Boolean).join(" · "),
        "end",
      ),
      interval: column(
        t("equipment.columns.serviceInterval"),
        (row) =>
          row.serviceInterval > 0 ? labels.amount(row.serviceInterval, unitWord(row.unit)) : "",
        "end",
      ),
      badge: column(t("equipment.columns.status"), (row) =>
        [statusText(t, labels, row, earlierWarnings), ...snoozed(row)].join(" · "),
      ),
      serviceStatus: column(t("equipment.columns.serviceStatus"), (row) =>
        [statusText(t, labels, row), ...snoozed(row)].join(" · "),
      ),
      next: column(t("equipment.columns.nextMaintenance"), (row) => {
        const { urgentTask: urgent } = row;
        const next = urgent && nextDue(row, today);
        const date = urgent ? next?.schedule?.date : row.nextMaintenanceDate;
        // A meter that was never read has no due point yet.
        const isUnread = !urgent && row.serviceInterval > 0 && row.usagePercent === undefined;
        const at = urgent ? urgent.nextDueUsage : nextServiceAt(row);
        const text = [
          next?.due && labels.due(next.due, unitWord(row.unit)),
          date && format.calendarDate(date),
          isUnread
            ? labels.noDue(row)
            : at !== undefined && t("equipment-list.atUsage", { amount: dial.due(row, at) }),
          forecast(row, today),
        ]
          .filter(Boolean)
          .join(" · ");
        return urgent ? t("labels.due.task", { name: urgent.name, text }) : text;
      }),
      updated: column(t("equipment.columns.lastUpdated"), (row) =>
        row.lastUpdated ? format.instantDay(timestampDate(row.lastUpdated)) : "",
      ),
    };
  }, [t, labels, format, dial, earlierWarnings, age, forecast, today, snoozed]);
}
