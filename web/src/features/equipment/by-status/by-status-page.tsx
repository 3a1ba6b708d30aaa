import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Download, Printer } from "lucide-react";
import { useTranslation } from "react-i18next";
import { equipmentSummaryQuery } from "#/api/equipment-summary";
import { isFiltered } from "#/domain/equipment-filter";
import { Button } from "#/shared/ui/button";
import { Empty } from "#/shared/ui/empty";
import { ListFrame, type ListPageProps } from "../list/list-frame";
import { useEquipmentPages } from "../table/equipment-pages";
import { orderOf } from "../table/order";
import { countOf } from "./count-of";
import { StatusLinks } from "./status-links";
import { statusTitle, type StatusPath } from "./status-title";
import { useStatusReports } from "./use-status-reports";

const ownSort = "urgency";

/** The list with a service status as its address, its own title and reports. */
export function ByStatusPage({
  status,
  filter: chosen,
  ...props
}: ListPageProps & { status: StatusPath }) {
  const { t } = useTranslation();
  const filter = { ...chosen, status: status === "all" ? undefined : status };
  const order = orderOf(filter, ownSort);
  const pages = useEquipmentPages(filter, order);
  const { exported, printed } = useStatusReports(status, filter, order);
  const summary = useQuery(equipmentSummaryQuery(useTransport())).data;
  const empty = pages.rows !== undefined && pages.matching === 0;
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
    <ListFrame
      {...props}
      filter={filter}
      title={t(statusTitle(status))}
      screen="overview"
      ownSort={ownSort}
      pages={pages}
      filtered={isFiltered(chosen)}
      total={summary && countOf(summary, status)}
      onExport={exported.mutate}
      notice={<StatusLinks />}
      secondary={
        !empty && (
          <>
            {exportCsv(t("equipment-list.exportCsv"))}
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
      empty={
        <Empty
          drawing={status === "all" ? "machine" : "service"}
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
  );
}
