import { Download, Printer } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { EquipmentFilter } from "#/domain/equipment-filter";
import { Button } from "#/shared/ui/button";
import type { PageOrder } from "../table/equipment-pages";
import { useCounted } from "../reports/use-counted";
import type { useEquipmentExport } from "../reports/use-equipment-export";
import { useEquipmentPrint } from "../reports/use-equipment-print";
import { useReportColumns } from "../reports/use-report-columns";
import { useGroupNote } from "../table/group-filter";
import { useGroups } from "../table/use-groups";

/** Export CSV and Print of the list, with the current search and order. */
export function ListReports({
  filter,
  order,
  exported,
  empty,
}: {
  filter: EquipmentFilter;
  order: PageOrder;
  exported: ReturnType<typeof useEquipmentExport>;
  empty: boolean;
}) {
  const { t } = useTranslation();
  const counted = useCounted();
  const words = useReportColumns();
  const groups = useGroups();
  const groupNote = useGroupNote();
  const search = filter.search?.trim();
  const printed = useEquipmentPrint({
    title: t("shell.titles.equipmentList"),
    describe: (count) =>
      [
        search
          ? t("equipment-list.print.searched", { counted: counted(count), search })
          : counted(count),
        groupNote(filter.group),
      ]
        .filter(Boolean)
        .join(" · "),
    columns: [
      words.unitNumber,
      words.name,
      words.serialNumber,
      words.type,
      ...(groups.length > 0 ? [words.group] : []),
      words.usage,
      words.badge,
      words.fuel,
      words.next,
    ],
    filter,
    order,
  });
  const nothing = empty ? t("equipment.export.nothing") : undefined;
  return (
    <>
      <Button
        onClick={() => exported.mutate()}
        pending={exported.isPending}
        pendingLabel={t("equipment.export.pending")}
        disabledReason={nothing}
      >
        <Download aria-hidden className="size-4" />
        {t("equipment-list.exportCsv")}
      </Button>
      <Button
        onClick={() => printed.mutate()}
        pending={printed.isPending}
        pendingLabel={t("equipment-list.print.pending")}
        disabledReason={empty ? t("equipment-list.print.nothing") : undefined}
      >
        <Printer aria-hidden className="size-4" />
        {t("equipment-list.print.button")}
      </Button>
    </>
  );
}
