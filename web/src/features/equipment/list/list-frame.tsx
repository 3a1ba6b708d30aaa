import { SquareCheck } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { EquipmentFilter, SortWord } from "#/domain/equipment-filter";
import { Button } from "#/shared/ui/button";
import { PageHeader } from "#/shared/ui/page-header";
import { BulkBar } from "../bulk/bulk-bar";
import { listSelection } from "#/shared/table/use-list-selection";
import { useEquipmentActions } from "../dialogs/use-equipment-actions";
import { useCounted } from "../reports/use-counted";
import { useEquipmentColumns, type Screen } from "../table/equipment-columns";
import type { useEquipmentPages } from "../table/equipment-pages";
import { EquipmentTable } from "../table/equipment-table";
import { ViewMenu } from "../views/view-menu";
import { ListFilters } from "./list-filters";

const useListSelection = listSelection<Equipment>();

export interface ListPageProps {
  filter: EquipmentFilter;
  /** Merges these values into the filter. */
  onFilter: (change: EquipmentFilter) => void;
  /** The other pages of equipment. */
  tabs: ReactNode;
}

/** A page with a whole list of equipment: title, filters, selection and table. */
export function ListFrame({
  title,
  actions,
  notice,
  screen,
  ownSort,
  pages,
  empty,
  filter,
  onFilter,
  tabs,
}: ListPageProps & {
  title: string;
  /** Reports and the like. */
  actions: ReactNode;
  /** Shown above the filters. */
  notice: ReactNode;
  screen: Screen;
  /** The order without one in the filter. */
  ownSort: SortWord;
  pages: ReturnType<typeof useEquipmentPages>;
  empty: ReactNode;
}) {
  const { t } = useTranslation();
  const counted = useCounted();
  const { act, dialog } = useEquipmentActions();
  const columns = useEquipmentColumns({ screen, onAction: act, chosen: filter.columns });
  const { rows, matching } = pages;
  const selection = useListSelection(rows ?? []);
  const count = rows ? counted(matching) : pages.query.isPending ? t("common.loading") : "";
  return (
    <>
      <PageHeader
        title={title}
        description={<span role="status">{count}</span>}
        actions={
          <>
            {!selection.column && rows && rows.length > 0 && (
              <Button onClick={selection.start}>
                <SquareCheck aria-hidden className="size-4" />
                {t("equipment-bulk.start")}
              </Button>
            )}
            {actions}
          </>
        }
      />
      {tabs}
      <div className="space-y-3">
        {notice}
        <ListFilters
          filter={filter}
          onFilter={onFilter}
          withStatus={screen === "list"}
          viewMenu={<ViewMenu screen={screen} filter={filter} onFilter={onFilter} />}
        />
        {selection.column && rows && (
          <BulkBar selection={selection} rows={rows} matching={matching} filter={filter} />
        )}
        <EquipmentTable
          label={title}
          columns={selection.column ? [selection.column, ...columns] : columns}
          pages={pages}
          filter={filter}
          ownSort={ownSort}
          onFilter={onFilter}
          empty={empty}
        />
      </div>
      {dialog}
    </>
  );
}
