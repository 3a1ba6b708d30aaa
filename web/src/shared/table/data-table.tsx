import { clsx } from "clsx";
import { useMemo, useRef, useState, type ReactNode } from "react";
import type { Column, Sort } from "./column";
import { DataCards } from "./data-cards";
import { DataRows } from "./data-rows";
import { EndMarker } from "./end-marker";
import { sortRows } from "./sort-rows";
import { useIsWide } from "./use-is-wide";

/**
 * A table from 1024 px of its container on, cards below. Rows keep the given order until sorted.
 * Of a long list only what is near the window is drawn; on paper everything is.
 */
export function DataTable<Row>({
  label,
  columns,
  rows,
  rowKey,
  rowClass,
  limit,
  total,
  sort: sortGiven,
  onSort,
  onEndReached,
  stale = false,
  empty,
}: {
  /** Names the table for screen readers. */
  label: string;
  columns: ReadonlyArray<Column<Row>>;
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  rowClass?: (row: Row) => string | undefined;
  /** The maximum number of rows, after sorting. */
  limit?: number | undefined;
  /** How many rows there are with those that have not come yet. */
  total?: number | undefined;
  /** How the rows come sorted, where `onSort` brings them in another order. */
  sort?: Sort | null;
  /** Brings the rows sorted; without it the rows that are here are sorted here. */
  onSort?: (sort: Sort | null) => void;
  /** Brings more rows, as the end of the list comes near the window. */
  onEndReached?: (() => void) | undefined;
  /** The rows are the last ones while others are on their way. */
  stale?: boolean;
  /** Rendered if there are no rows. */
  empty: ReactNode;
}) {
  const container = useRef<HTMLDivElement>(null);
  const wide = useIsWide(container, 1024);
  const [ownSort, setOwnSort] = useState<Sort | null>(null);
  const sort = onSort ? (sortGiven ?? null) : ownSort;
  const shown = useMemo(
    () => (onSort ? rows : sortRows(rows, columns, ownSort)).slice(0, limit),
    [rows, columns, onSort, ownSort, limit],
  );
  const knownTotal = limit === undefined ? Math.max(total ?? 0, shown.length) : shown.length;
  const list = { label, columns, rows: shown, rowKey, rowClass, total: knownTotal };
  return (
    <div
      ref={container}
      aria-busy={stale || undefined}
      className={clsx(
        // The rows keep their place themselves.
        "rounded-card border border-line bg-raised transition-opacity [overflow-anchor:none]",
        stale && "opacity-60",
      )}
    >
      {rows.length === 0 ? (
        empty
      ) : wide ? (
        <DataRows {...list} sort={sort} onSort={onSort ?? setOwnSort} />
      ) : (
        <DataCards {...list} />
      )}
      {onEndReached && rows.length > 0 && <EndMarker onReached={onEndReached} />}
    </div>
  );
}
