import { clsx } from "clsx";
import { useMemo, useRef } from "react";
import type { Column, Sort } from "./column";
import { HeaderCell } from "./header-cell";
import { useColumnWidths } from "./use-column-widths";
import { useWindowedRows } from "./use-windowed-rows";

/** The wide form of a table. Long lists render only rows near the window. */
export function DataRows<Row>({
  label,
  columns,
  rows,
  rowKey,
  rowClass,
  total,
  sort,
  onSort,
}: {
  label: string;
  columns: ReadonlyArray<Column<Row>>;
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  rowClass: ((row: Row) => string | undefined) | undefined;
  total: number;
  sort: Sort | null;
  onSort: (sort: Sort | null) => void;
}) {
  const table = useRef<HTMLTableElement>(null);
  const body = useRef<HTMLTableSectionElement>(null);
  const { items, virtual, measure, watcher } = useWindowedRows({
    list: body,
    rows,
    rowKey,
    estimate: 76,
  });
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
                className={rowClass?.(item.row)}
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
          className={`h-13 border-t border-line px-2.5 py-2 first:pl-4 last:pr-3 ${column.align === "end" ? "text-right" : ""} ${column.card === "actions" ? "print:hidden" : ""}`}
        >
          {column.cell(row)}
        </td>
      )),
    [columns, row],
  );
}
