import { Download } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { EquipmentFilter } from "#/domain/equipment-filter";
import { Button } from "#/shared/ui/button";
import { useEquipmentPages } from "../table/equipment-pages";
import { orderOf } from "../table/order";
import { useEquipmentExport } from "../reports/use-equipment-export";

export function ExportReport({ filter }: { filter: EquipmentFilter }) {
  const { t } = useTranslation();
  const order = orderOf(filter, "urgency");
  const { rows, matching } = useEquipmentPages(filter, order);
  const report = useEquipmentExport({
    file: "report",
    filter,
    order,
  });
  return (
    <Button
      onClick={() => report.mutate()}
      pending={report.isPending}
      pendingLabel={t("equipment.export.pending")}
      disabledReason={rows && matching === 0 ? t("equipment.export.nothing") : undefined}
    >
      <Download aria-hidden className="size-4" />
      {t("equipment.export.button")}
    </Button>
  );
}
