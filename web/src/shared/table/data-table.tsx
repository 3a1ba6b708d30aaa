import { ArrowDown, ArrowUp, ChevronsUpDown } from "lucide-react";
import { useMemo, useRef, useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { DataCards } from "./data-cards";
import type { Column } from "./column";
import { useIsWide } from "./use-is-wide";

interface Sort {
  id: string;
  descending: boolean;
}

/** A table from 1024 px of its container on, cards below. Rows keep the given order until sorted. */
export function DataTable<Row>({
  label,
  columns,
  rows,
  rowKey,
  rowClass,
  limit,
  empty,
}: {
  /** Names the table for screen readers. */
  label: string;
  columns: ReadonlyArray<Column<Row>>;
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  rowClass?: (row: Row) => string | undefined;
  /** Shows only so many, the first of the sorted ones. */
  limit?: number | undefined;
  /** What stands here when there are no rows. */
  empty: ReactNode;
}) {
  const container = useRef<HTMLDivElement>(null);
  const wide = useIsWide(container, 1024);
  const [sort, setSort] = useState<Sort | null>(null);
  const sorted = useMemo(
    () => sortRows(rows, columns, sort).slice(0, limit),
    [rows, columns, sort, limit],
  );
  return (
    <div ref={container} className="rounded-card border border-line bg-raised">
      {rows.length === 0 ? (
        empty
      ) : wide ? (
        <table className="w-full border-collapse text-sm" aria-label={label}>
          <thead>
            <tr className="bg-sunken">
              {columns.map((column) => (
                <HeaderCell key={column.id} column={column} sort={sort} onSort={setSort} />
              ))}
            </tr>
          </thead>
          <tbody>
            {sorted.map((row) => (
              <tr key={rowKey(row)} className={`border-t border-line ${rowClass?.(row) ?? ""}`}>
                {columns.map((column) => (
                  <td
                    key={column.id}
                    className={`h-13 px-3 py-2 first:pl-4 last:pr-3 ${column.align === "end" ? "text-right" : ""}`}
                  >
                    {column.cell(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      ) : (
        <DataCards
          label={label}
          columns={columns}
          rows={sorted}
          rowKey={rowKey}
          {...(rowClass ? { rowClass } : {})}
        />
      )}
    </div>
  );
}

function HeaderCell<Row>({
  column,
  sort,
  onSort,
}: {
  column: Column<Row>;
  sort: Sort | null;
  onSort: (sort: Sort | null) => void;
}) {
  const { t } = useTranslation();
  const active = sort?.id === column.id ? sort : null;
  const Icon = active ? (active.descending ? ArrowDown : ArrowUp) : ChevronsUpDown;
  const direction = active ? (active.descending ? "descending" : "ascending") : undefined;
  const end = column.align === "end";
  return (
    <th
      scope="col"
      aria-sort={direction}
      className={`px-3 py-2.5 text-xs first:pl-4 last:pr-3 font-semibold text-muted first:rounded-tl-card last:rounded-tr-card ${end ? "text-right" : "text-left"}`}
    >
      {column.sortValue ? (
        <button
          type="button"
          title={t("common.sortBy", { column: column.header })}
          onClick={() => onSort(nextSort(column.id, active))}
          className={`-mx-1.5 inline-flex min-h-6 items-center gap-1 rounded-control px-1.5 font-semibold hover:text-ink ${end ? "text-right" : "text-left"}`}
        >
          {column.header}
          <Icon aria-hidden className={`size-3.5 ${active ? "text-ink" : "opacity-50"}`} />
        </button>
      ) : column.card === "actions" ? (
        <span className="sr-only">{column.header}</span>
      ) : (
        column.header
      )}
    </th>
  );
}

/** Ascending, then descending, then the order that was given. */
function nextSort(id: string, active: Sort | null): Sort | null {
  if (!active) return { id, descending: false };
  return active.descending ? null : { id, descending: true };
}

function sortRows<Row>(
  rows: readonly Row[],
  columns: ReadonlyArray<Column<Row>>,
  sort: Sort | null,
): readonly Row[] {
  const value = columns.find((column) => column.id === sort?.id)?.sortValue;
  if (!sort || !value) return rows;
  const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });
  return rows.toSorted((left, right) => {
    const a = value(left);
    const b = value(right);
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    const order =
      typeof a === "number" && typeof b === "number"
        ? a - b
        : collator.compare(String(a), String(b));
    return sort.descending ? -order : order;
  });
}
