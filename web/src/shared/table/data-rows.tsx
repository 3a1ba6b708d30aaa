import { clsx } from "clsx";
import { useMemo, useRef } from "react";
import type { Column, Sort } from "./column";
import { actionsCell, HeaderCell } from "./header-cell";
import { useColumnWidths } from "./use-column-widths";
import { useRowLinks } from "./use-row-links";
import { useWindowedRows } from "./use-windowed-rows";

/** A row with a link shows that a click follows it. Opaque, for the actions that stay in view. */
export const linkedRow =
  "bg-raised has-data-row-link:cursor-pointer has-data-row-link:transition-colors has-data-row-link:hover:bg-sunken";

/** The wide form of a table. Long lists render only rows near the window. */
export function DataRows<Row>({
  label,
  columns,
  rows,
  rowKey,
  total,
  sort,
  onSort,
  compact,
}: {
  label: string;
  columns: ReadonlyArray<Column<Row>>;
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  total: number;
  sort: Sort | null;
  onSort: (sort: Sort | null) => void;
  compact: boolean;
}) {
  const table = useRef<HTMLTableElement>(null);
  const body = useRef<HTMLTableSectionElement>(null);
  const { items, virtual, measure, watcher } = useWindowedRows({
    list: body,
    rows,
    rowKey,
    estimate: compact ? 41 : 58,
  });
  useRowLinks(body);
  // Headings alone don't define the columns' widths.
  const hasRows = items.some((item) => item.kind === "row");
  const widths = useColumnWidths(table, virtual && hasRows, columns);
  // If not all rows are rendered, assistive technology needs their count; the head is row 1.
  const counted = virtual || total > rows.length;
  return (
    <>
      <table
        ref={table}
        aria-label={label}
        aria-rowcount={counted ? total + 1 : undefined}
        data-compact={compact || undefined}
        className={clsx(
          "w-full border-separate border-spacing-0 text-sm print:text-xs",
          // Later rows wrap if their column is too narrow.
          widths && "table-fixed [&_td_span]:whitespace-normal",
        )}
      >
        {widths && (
          <colgroup>
            {columns.map((column, index) => (
              <col key={column.id} style={{ width: widths[index] }} />
            ))}
          </colgroup>
        )}
        <thead>
          <tr className="bg-sunken" aria-rowindex={counted ? 1 : undefined}>
            {columns.map((column) => (
              <HeaderCell key={column.id} column={column} sort={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {items.map((item) =>
            item.kind === "gap" ? (
              <tr key={item.key} aria-hidden style={{ height: item.height }} />
            ) : (
              <tr
                key={item.key}
                ref={measure}
                data-index={item.index}
                data-row-key={item.key}
                aria-rowindex={counted ? item.index + 2 : undefined}
                className={linkedRow}
              >
                <Cells columns={columns} row={item.row} />
              </tr>
            ),
          )}
        </tbody>
      </table>
      {watcher}
    </>
  );
}

/** Memoized, so that scrolling does not render visible rows again. */
function Cells<Row>({ columns, row }: { columns: ReadonlyArray<Column<Row>>; row: Row }) {
  return useMemo(
    () =>
      columns.map((column) => (
        <td
          key={column.id}
          className={`h-13 border-t border-line px-2.5 py-1.5 in-data-compact:h-10 in-data-compact:py-0.5 first:pl-4 last:pr-3 ${column.align === "end" ? "text-right" : ""} ${column.card === "actions" ? actionsCell : ""}`}
        >
          {column.cell(row)}
        </td>
      )),
    [columns, row],
  );
}
