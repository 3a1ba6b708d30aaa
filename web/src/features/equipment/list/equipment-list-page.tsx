import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Upload } from "lucide-react";
import { useTranslation } from "react-i18next";
import { equipmentSummaryQuery } from "#/api/equipment-summary";
import { isFiltered } from "#/domain/equipment-filter";
import { useLimitText } from "#/shared/words/use-limit-text";
import { LimitNotice } from "#/shared/plans/limit-notice";
import { Button } from "#/shared/ui/button";
import { Empty } from "#/shared/ui/empty";
import { useEquipmentExport } from "../reports/use-equipment-export";
import { useEquipmentPages } from "../table/equipment-pages";
import { orderOf } from "../table/order";
import { AddEquipment } from "../add-equipment";
import { ListFrame, type ListPageProps } from "./list-frame";
import { ListReports } from "./list-reports";

const ownSort = "urgency";

export function EquipmentListPage(props: ListPageProps) {
  const { t } = useTranslation();
  const { filter } = props;
  const order = orderOf(filter, ownSort);
  const pages = useEquipmentPages(filter, order);
  const summary = useQuery(equipmentSummaryQuery(useTransport()));
  const limit = useLimitText(summary.data);
  const { rows, matching } = pages;
  const exported = useEquipmentExport({
    file: "list",
    filter,
    order,
  });
  return (
    <ListFrame
      {...props}
      title={t("shell.titles.equipmentList")}
      screen="list"
      ownSort={ownSort}
      pages={pages}
      filtered={isFiltered(filter)}
      total={summary.data?.total}
      onExport={exported.mutate}
      notice={limit && <LimitNotice tone="info" text={limit} />}
      secondary={
        <>
          {/* A tablet has no room for it beside the others; the form has the same link. */}
          <div className="contents md:max-xl:hidden">
            <Button asChild>
              <Link to="/add-equipment" search={{ import: true, from: "list" }}>
                <Upload aria-hidden className="size-4" />
                {t("equipment-list.import.action")}
              </Link>
            </Button>
          </div>
          <ListReports
            filter={filter}
            order={order}
            exported={exported}
            empty={rows !== undefined && !matching}
          />
        </>
      }
      actions={<AddEquipment />}
      empty={
        <Empty
          drawing="machine"
          title={t("equipment-list.emptyTitle")}
          description={t("equipment-list.emptyText")}
          action={
            <>
              <AddEquipment first />
              <Button asChild>
                <Link to="/add-equipment" search={{ import: true, from: "list" }}>
                  {t("equipment-list.import.first")}
                </Link>
              </Button>
            </>
          }
        />
      }
    />
  );
}
