import { Link } from "@tanstack/react-router";
import { CircleCheck, Download, Printer, Tractor } from "lucide-react";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { EquipmentFilter } from "#/domain/equipment-filter";
import { Button } from "#/shared/ui/button";
import { Empty } from "#/shared/ui/empty";
import { PageHeader } from "#/shared/ui/page-header";
import { useEquipmentColumns } from "../table/equipment-columns";
import { useEquipmentPages } from "../table/equipment-pages";
import { EquipmentTable } from "../table/equipment-table";
import { orderOf } from "../table/order";
import { useCounted } from "../reports/use-counted";
import { useEquipmentActions } from "../dialogs/use-equipment-actions";
import { StatusLinks } from "./status-links";
import { statusTitle, type StatusPath } from "./status-title";
import { useStatusReports } from "./use-status-reports";

export function ByStatusPage({
  status,
  sort,
  onSort,
}: {
  status: StatusPath;
  sort: Pick<EquipmentFilter, "sort" | "desc">;
  /** Merges these values into the order. */
  onSort: (change: EquipmentFilter) => void;
}) {
  const { t } = useTranslation();
  const counted = useCounted();
  const filter: EquipmentFilter = { ...sort, status: status === "all" ? undefined : status };
  const order = orderOf(filter, "urgency");
  const pages = useEquipmentPages(filter, order);
  const { act, dialog } = useEquipmentActions();
  const columns = useColumns(act);
  const { exported, printed } = useStatusReports(status, filter, order);
  const { rows, matching } = pages;
  const empty = rows !== undefined && matching === 0;
  const exportCsv = (label: string) => (
    <Button
      onClick={() => exported.mutate()}
      pending={exported.isPending}
      pendingLabel={t("equipment.export.pending")}
    >
      <Download aria-hidden className="size-4" />
      {label}
    </Button>
  );
  return (
    <>
      <PageHeader
        title={t(statusTitle(status))}
        description={<span role="status">{rows ? counted(matching) : t("common.loading")}</span>}
        actions={
          !empty && (
            <>
              {exportCsv(t("equipment.export.csv"))}
              <Button
                onClick={() => printed.mutate()}
                pending={printed.isPending}
                pendingLabel={t("equipment-list.print.pending")}
              >
                <Printer aria-hidden className="size-4" />
                {t("equipment-list.print.report")}
              </Button>
            </>
          )
        }
      />
      <div className="space-y-3">
        <StatusLinks />
        <EquipmentTable
          label={t(statusTitle(status))}
          columns={columns}
          pages={pages}
          filter={filter}
          onFilter={onSort}
          empty={
            <Empty
              icon={status === "all" ? <Tractor aria-hidden /> : <CircleCheck aria-hidden />}
              title={t("equipment-list.emptyTitle")}
              description={
                status === "all"
                  ? t("equipment-list.emptyText")
                  : t("equipment-list.byStatus.emptyText")
              }
              action={
                <>
                  <Button asChild variant="primary">
                    {status === "all" ? (
                      <Link to="/equipment-list">{t("equipment-list.byStatus.viewAll")}</Link>
                    ) : (
                      <Link to="/equipment/$status" params={{ status: "all" }}>
                        {t("equipment-list.byStatus.viewAll")}
                      </Link>
                    )}
                  </Button>
                  {exportCsv(t("equipment-list.byStatus.exportEmpty"))}
                </>
              }
            />
          }
        />
      </div>
      {dialog}
    </>
  );
}

function useColumns(onAction: Parameters<typeof useEquipmentColumns>[0]) {
  const columns = useEquipmentColumns(onAction);
  return useMemo(() => {
    const { name, type, fuel, usage, interval, urgency, updated, actions } = columns;
    return [name, type, fuel, usage, interval, urgency, updated, actions];
  }, [columns]);
}
