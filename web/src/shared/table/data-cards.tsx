import { clsx } from "clsx";
import { useMemo, useRef } from "react";
import type { Column } from "./column";
import { linkedRow } from "./data-rows";
import { useRowLinks } from "./use-row-links";
import { useWindowedRows } from "./use-windowed-rows";

/** The narrow form of a table. */
export function DataCards<Row>({
  label,
  columns,
  rows,
  rowKey,
  total,
}: {
  label: string;
  columns: ReadonlyArray<Column<Row>>;
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  total: number;
}) {
  const list = useRef<HTMLUListElement>(null);
  const { items, virtual, measure, watcher } = useWindowedRows({
    list,
    rows,
    rowKey,
    estimate: 150,
  });
  useRowLinks(list);
  const counted = virtual || total > rows.length;
  return (
    <>
      <ul ref={list} aria-label={label}>
        {items.map((item) =>
          item.kind === "gap" ? (
            <li key={item.key} aria-hidden style={{ height: item.height }} />
          ) : (
            <li
              key={item.key}
              ref={measure}
              data-index={item.index}
              data-row-key={item.key}
              aria-setsize={counted ? total : undefined}
              aria-posinset={counted ? item.index + 1 : undefined}
              className={clsx("border-line p-4", item.index > 0 && "border-t", linkedRow)}
            >
              <CardBody columns={columns} row={item.row} />
            </li>
          ),
        )}
      </ul>
      {watcher}
    </>
  );
}

/** Memoized, so that scrolling does not render visible cards again. */
function CardBody<Row>({ columns, row }: { columns: ReadonlyArray<Column<Row>>; row: Row }) {
  return useMemo(() => cardOf(columns, row), [columns, row]);
}

function cardOf<Row>(columns: ReadonlyArray<Column<Row>>, row: Row) {
  const at = (place: NonNullable<Column<Row>["card"]>) =>
    columns.filter((column) => (column.card ?? "fact") === place);
  const facts = at("fact");
  return (
    <>
      <div className="flex items-start gap-3">
        <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-1.5">
          {at("title").map((column) => (
            <div key={column.id} className="min-w-0">
              {cellOf(column, row)}
            </div>
          ))}
          {at("badge").map((column) => (
            <div key={column.id} data-compact>
              {cellOf(column, row)}
            </div>
          ))}
        </div>
        {at("actions").map((column) => (
          <div key={column.id} className="-mt-1.5 -mr-1.5 shrink-0">
            {cellOf(column, row)}
          </div>
        ))}
      </div>
      {at("line").map((column) => (
        <div key={column.id} data-compact className="mt-2">
          {cellOf(column, row)}
        </div>
      ))}
      {facts.length > 0 && (
        <dl className="mt-3 grid grid-cols-2 gap-x-4 gap-y-2.5 text-sm md:grid-cols-3">
          {facts.map((column) => (
            <div key={column.id} className="min-w-0">
              <dt className="text-xs text-muted">{column.header}</dt>
              <dd className="mt-0.5">{cellOf(column, row)}</dd>
            </div>
          ))}
        </dl>
      )}
    </>
  );
}

function cellOf<Row>(column: Column<Row>, row: Row) {
  return (column.cardCell ?? column.cell)(row);
}
