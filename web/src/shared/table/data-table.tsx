import { clsx } from "clsx";
import { useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import type { Column, Sort } from "./column";
import { DataCards } from "./data-cards";
import { DataRows } from "./data-rows";
import { EndMarker } from "./end-marker";
import { sortRows } from "./sort-rows";
import { useIsWide } from "./use-is-wide";

/** From this width in pixels, a table has all columns. */
const fullWidth = 1024;

/**
 * A table if the container is wide enough, else cards. Rows keep the given order until sorted. Long
 * lists render only rows near the window, and all rows for print.
 */
export function DataTable<Row>({
  label,
  columns,
  rows,
  rowKey,
  limit,
  total,
  sort: sortGiven,
  onSort,
  onSorted,
  onEndReached,
  stale = false,
  compact = false,
  tableFrom = fullWidth,
  empty,
}: {
  /** Names the table for screen readers. */
  label: string;
  columns: ReadonlyArray<Column<Row>>;
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** The maximum number of rows, after sorting. */
  limit?: number | undefined;
  /** The number of rows including those that are not loaded yet. */
  total?: number | undefined;
  /** The current order, with `onSort`. */
  sort?: Sort | null;
  /** Called with another order; without it, the table keeps the order itself. */
  onSort?: (sort: Sort | null) => void;
  /** Called with the rows in the order of the table. */
  onSorted?: ((rows: readonly Row[]) => void) | undefined;
  /** Called when the end of the list is near the window. */
  onEndReached?: (() => void) | undefined;
  /** Whether the rows are outdated while others are loading. */
  stale?: boolean;
  /** One line a row, in the table. */
  compact?: boolean;
  /** The container's width in pixels from which it is a table. */
  tableFrom?: number;
  /** Rendered if there are no rows. */
  empty: ReactNode;
}) {
  const container = useRef<HTMLDivElement>(null);
  const isTable = useIsWide(container, tableFrom);
  const fitsAll = useIsWide(container, fullWidth);
  const fitting = useMemo(
    () => (fitsAll ? columns : columns.filter((column) => !column.wide)),
    [columns, fitsAll],
  );
  const [ownSort, setOwnSort] = useState<Sort | null>(null);
  const sort = onSort ? (sortGiven ?? null) : ownSort;
  const shown = useMemo(
    () => sortRows(rows, columns, sort).slice(0, limit),
    [rows, columns, sort, limit],
  );
  useEffect(() => onSorted?.(shown), [onSorted, shown]);
  const knownTotal = limit === undefined ? Math.max(total ?? 0, shown.length) : shown.length;
  const list = { label, rows: shown, rowKey, total: knownTotal };
  return (
    <div
      ref={container}
      aria-busy={stale || undefined}
      className={clsx(
        // Scrolls if the columns do not fit; `relative`, to clip texts for screen readers, too.
        "relative scroll-pr-26 overflow-x-auto print:overflow-visible",
        // Disables scroll anchoring; the virtualizer keeps rows in place.
        "@container rounded-card border border-line bg-raised transition-opacity [overflow-anchor:none]",
        stale && "opacity-60",
      )}
    >
      {rows.length === 0 ? (
        empty
      ) : isTable ? (
        <DataRows
          {...list}
          columns={fitting}
          sort={sort}
          onSort={onSort ?? setOwnSort}
          compact={compact}
        />
      ) : (
        <DataCards {...list} columns={columns} />
      )}
      {onEndReached && rows.length > 0 && <EndMarker onReached={onEndReached} />}
    </div>
  );
}
