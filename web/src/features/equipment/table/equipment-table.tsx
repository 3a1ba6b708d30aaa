import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { EquipmentFilter, SortWord } from "#/domain/equipment-filter";
import type { Column } from "#/shared/table/column";
import { DataTable } from "#/shared/table/data-table";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { SkeletonRows } from "#/shared/ui/skeleton";
import type { useEquipmentPages } from "./equipment-pages";
import { useListPrefs } from "./list-prefs";
import { changeOfSort, sortOf } from "./order";

/** A table of equipment that loads pages while scrolling. */
export function EquipmentTable({
  label,
  columns,
  pages,
  filter,
  ownSort,
  onFilter,
  limit,
  empty,
}: {
  label: string;
  columns: ReadonlyArray<Column<Equipment>>;
  pages: ReturnType<typeof useEquipmentPages>;
  filter: EquipmentFilter;
  /** The order without one in the filter. */
  ownSort: SortWord;
  /** Merges these values into the filter. */
  onFilter: (change: EquipmentFilter) => void;
  /** The maximum number of rows; no more pages are loaded. */
  limit?: number | undefined;
  empty: ReactNode;
}) {
  const { t } = useTranslation();
  const { query, rows, matching, more } = pages;
  const { density } = useListPrefs();
  const later = query.isFetchNextPageError;
  return (
    <>
      {query.error && !later && <LoadError pages={pages} />}
      {query.isPending && (
        <div className="rounded-card border border-line bg-raised">
          <SkeletonRows label={t("common.loading")} />
        </div>
      )}
      {rows && (
        <DataTable
          label={label}
          columns={columns}
          rows={rows}
          rowKey={(row) => row.id}
          total={matching}
          limit={limit}
          sort={sortOf(filter, ownSort)}
          onSort={(sort) => onFilter(changeOfSort(sort))}
          onEndReached={limit === undefined ? more : undefined}
          stale={query.isPlaceholderData}
          tableFrom={720}
          compact={density === "compact"}
          empty={empty}
        />
      )}
      {query.isFetchingNextPage && <SkeletonRows rows={2} label={t("common.loading")} />}
      {later && <LoadError pages={pages} />}
    </>
  );
}

function LoadError({ pages: { query } }: { pages: ReturnType<typeof useEquipmentPages> }) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  return (
    <ErrorPanel
      title={t("equipment.overview.failed")}
      reason={errorText(query.error)}
      onRetry={() => void (query.isFetchNextPageError ? query.fetchNextPage() : query.refetch())}
      retrying={query.isFetching}
    />
  );
}
