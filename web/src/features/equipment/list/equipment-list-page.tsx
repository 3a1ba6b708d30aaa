import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Plus, SquareCheck, Tractor } from "lucide-react";
import { useTranslation } from "react-i18next";
import { equipmentSummaryQuery } from "#/api/equipment-summary";
import { isFiltered, type EquipmentFilter } from "#/domain/equipment-filter";
import { useLimitText } from "#/shared/words/use-limit-text";
import { LimitNotice } from "#/shared/plans/limit-notice";
import { Button } from "#/shared/ui/button";
import { Empty } from "#/shared/ui/empty";
import { PageHeader } from "#/shared/ui/page-header";
import { BulkBar } from "../bulk/bulk-bar";
import { useListSelection } from "../bulk/use-list-selection";
import { useEquipmentPages } from "../table/equipment-pages";
import { EquipmentTable } from "../table/equipment-table";
import { NoMatch } from "../table/no-match";
import { orderOf } from "../table/order";
import { useCounted } from "../reports/use-counted";
import { useEquipmentActions } from "../dialogs/use-equipment-actions";
import { useListColumns } from "./list-columns";
import { ListFilters } from "./list-filters";
import { ListReports } from "./list-reports";

export function EquipmentListPage({
  filter,
  onFilter,
}: {
  filter: EquipmentFilter;
  /** Merges these values into the filter. */
  onFilter: (change: EquipmentFilter) => void;
}) {
  const { t } = useTranslation();
  const counted = useCounted();
  const navigate = useNavigate();
  const order = orderOf(filter, "name");
  const pages = useEquipmentPages(filter, order);
  const summary = useQuery(equipmentSummaryQuery(useTransport()));
  const limit = useLimitText(summary.data);
  const { act, dialog } = useEquipmentActions();
  const columns = useListColumns(act);
  const add = () => void navigate({ to: "/add-equipment" });
  const { rows, matching } = pages;
  const selection = useListSelection(rows ?? []);
  return (
    <>
      <PageHeader
        title={t("shell.titles.equipmentList")}
        description={<span role="status">{rows ? counted(matching) : t("common.loading")}</span>}
        actions={
          <>
            {!selection.column && rows && rows.length > 0 && (
              <Button onClick={selection.start}>
                <SquareCheck aria-hidden className="size-4" />
                {t("equipment-bulk.start")}
              </Button>
            )}
            <ListReports filter={filter} order={order} empty={rows !== undefined && !matching} />
            <Button variant="primary" onClick={add} disabledReason={limit}>
              <Plus aria-hidden className="size-4" />
              {t("equipment.form.add")}
            </Button>
          </>
        }
      />
      <div className="space-y-3">
        {limit && <LimitNotice tone="info" text={limit} />}
        <ListFilters filter={filter} onFilter={onFilter} />
        {selection.column && rows && (
          <BulkBar selection={selection} rows={rows} matching={matching} filter={filter} />
        )}
        <EquipmentTable
          label={t("shell.titles.equipmentList")}
          columns={selection.column ? [selection.column, ...columns] : columns}
          pages={pages}
          filter={filter}
          onFilter={onFilter}
          empty={
            isFiltered(filter) ? (
              <NoMatch
                onClear={() =>
                  onFilter({
                    search: undefined,
                    operational: undefined,
                    stale: undefined,
                    due: undefined,
                    group: undefined,
                  })
                }
              />
            ) : (
              <Empty
                icon={<Tractor aria-hidden />}
                title={t("equipment-list.emptyTitle")}
                description={t("equipment-list.emptyText")}
                action={
                  <Button variant="primary" onClick={add}>
                    {t("equipment.overview.addFirst")}
                  </Button>
                }
              />
            )
          }
        />
      </div>
      {dialog}
    </>
  );
}
