import { useTranslation } from "react-i18next";
import type { EquipmentFilter } from "#/domain/equipment-filter";
import type { PageOrder } from "../table/equipment-pages";
import { useCounted } from "../reports/use-counted";
import { useEquipmentExport } from "../reports/use-equipment-export";
import { useEquipmentPrint } from "../reports/use-equipment-print";
import { useReportColumns } from "../reports/use-report-columns";
import { statusTitle, type StatusPath } from "./status-title";

export function useStatusReports(status: StatusPath, filter: EquipmentFilter, order: PageOrder) {
  const { t } = useTranslation();
  const counted = useCounted();
  const words = useReportColumns();
  const exported = useEquipmentExport({
    status,
    file: "status",
    filter,
    order,
  });
  const printed = useEquipmentPrint({
    title: t(statusTitle(status)),
    describe: counted,
    columns: [
      words.unitNumber,
      words.name,
      words.type,
      words.fuel,
      words.usage,
      words.interval,
      words.serviceStatus,
      words.updated,
    ],
    filter,
    order,
  });
  return { exported, printed };
}
