import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { equipmentSummaryQuery } from "#/api/equipment-summary";
import { isFiltered, unfiltered } from "#/domain/equipment-filter";
import { useLimitText } from "#/shared/words/use-limit-text";
import { LimitNotice } from "#/shared/plans/limit-notice";
import { Empty } from "#/shared/ui/empty";
import { useEquipmentPages } from "../table/equipment-pages";
import { NoMatch } from "../table/no-match";
import { orderOf } from "../table/order";
import { AddEquipment } from "../add-equipment";
import { ListFrame, type ListPageProps } from "./list-frame";
import { ListReports } from "./list-reports";

const ownSort = "urgency";

export function EquipmentListPage(props: ListPageProps) {
  const { t } = useTranslation();
  const { filter, onFilter } = props;
  const order = orderOf(filter, ownSort);
  const pages = useEquipmentPages(filter, order);
  const summary = useQuery(equipmentSummaryQuery(useTransport()));
  const limit = useLimitText(summary.data);
  const { rows, matching } = pages;
  return (
    <ListFrame
      {...props}
      title={t("shell.titles.equipmentList")}
      screen="list"
      ownSort={ownSort}
      pages={pages}
      notice={limit && <LimitNotice tone="info" text={limit} />}
      actions={
        <>
          <ListReports filter={filter} order={order} empty={rows !== undefined && !matching} />
          <AddEquipment />
        </>
      }
      empty={
        isFiltered(filter) ? (
          <NoMatch onClear={() => onFilter(unfiltered)} />
        ) : (
          <Empty
            drawing="machine"
            title={t("equipment-list.emptyTitle")}
            description={t("equipment-list.emptyText")}
            action={<AddEquipment first />}
          />
        )
      }
    />
  );
}
