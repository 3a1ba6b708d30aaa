import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { unfiltered, type EquipmentFilter, type SortWord } from "#/domain/equipment-filter";
import { FoldedHeader } from "#/shared/ui/folded-header";
import { Shown } from "#/shared/ui/shown";
import { BulkBar } from "../bulk/bulk-bar";
import { StartSelection } from "#/shared/table/selection-bar";
import { SortSelect } from "#/shared/table/sort-select";
import { listSelection, nameOf } from "#/shared/table/use-list-selection";
import { useEquipmentActions } from "../dialogs/use-equipment-actions";
import { useCounted } from "../reports/use-counted";
import { useEquipmentColumns, type Screen } from "../table/equipment-columns";
import type { useEquipmentPages } from "../table/equipment-pages";
import { EquipmentTable } from "../table/equipment-table";
import { NoMatch } from "../table/no-match";
import { changeOfSort, sortOf } from "../table/order";
import { ViewMenu } from "../views/view-menu";
import { ListFilters } from "./list-filters";

const useListSelection = listSelection<Equipment>();
const none: readonly Equipment[] = [];

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
  secondary,
  notice,
  screen,
  ownSort,
  pages,
  filtered,
  total,
  onExport,
  empty,
  filter,
  onFilter,
  tabs,
}: ListPageProps & {
  title: string;
  actions?: ReactNode;
  /** Reports and the like. */
  secondary: ReactNode;
  /** Shown above the filters. */
  notice: ReactNode;
  screen: Screen;
  /** The order without one in the filter. */
  ownSort: SortWord;
  pages: ReturnType<typeof useEquipmentPages>;
  /** Whether the filter leaves some machines out. */
  filtered: boolean;
  /** The number of machines without a filter; undefined while unknown. */
  total: number | undefined;
  /** Saves the selected machines. */
  onExport: (machines: readonly Equipment[]) => void;
  /** Shown without a filter. */
  empty: ReactNode;
}) {
  const { t } = useTranslation();
  const counted = useCounted();
  const { act, dialog } = useEquipmentActions();
  const columns = useEquipmentColumns({ screen, onAction: act, chosen: filter.columns });
  const { rows, matching } = pages;
  const selection = useListSelection(rows ?? none, nameOf);
  const clear = () => onFilter(unfiltered);
  // The total may be older than the rows.
  const of = filtered && total !== undefined ? Math.max(total, matching) : undefined;
  const count = rows ? counted(matching, of) : pages.query.isPending ? t("common.loading") : "";
  return (
    <>
      <FoldedHeader
        title={title}
        description={<Shown onClear={filtered && matching > 0 && clear}>{count}</Shown>}
        secondary={
          <>
            <StartSelection selection={selection} rows={rows} />
            {secondary}
          </>
        }
        actions={actions}
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
          <BulkBar
            selection={selection}
            rows={rows}
            matching={matching}
            filter={filter}
            onExport={onExport}
          />
        )}
        <div className="@container space-y-3">
          {rows && rows.length > 1 && (
            <SortSelect
              columns={columns}
              sort={filter.sort ? sortOf(filter, ownSort) : null}
              onSort={(sort) => onFilter(changeOfSort(sort))}
            />
          )}
          <EquipmentTable
            label={title}
            columns={selection.column ? [selection.column, ...columns] : columns}
            pages={pages}
            filter={filter}
            ownSort={ownSort}
            onFilter={onFilter}
            empty={filtered ? <NoMatch onClear={clear} /> : empty}
          />
        </div>
      </div>
      {dialog}
    </>
  );
}
