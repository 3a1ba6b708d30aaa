import type { Column } from "./column";

/** The narrow form of a table: name and badge, labelled facts, actions in the corner. */
export function DataCards<Row>({
  label,
  columns,
  rows,
  rowKey,
  rowClass,
}: {
  label: string;
  columns: ReadonlyArray<Column<Row>>;
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  rowClass?: (row: Row) => string | undefined;
}) {
  const at = (place: NonNullable<Column<Row>["card"]>) =>
    columns.filter((column) => (column.card ?? "fact") === place);
  const titles = at("title");
  const badges = at("badge");
  const lines = at("line");
  const facts = at("fact");
  const actions = at("actions");
  return (
    <ul aria-label={label} className="divide-y divide-line">
      {rows.map((row) => (
        <li key={rowKey(row)} className={`p-4 ${rowClass?.(row) ?? ""}`}>
          <div className="flex items-start gap-3">
            <div className="flex min-w-0 flex-1 flex-wrap items-center gap-x-3 gap-y-1.5">
              {titles.map((column) => (
                <div key={column.id} className="min-w-0">
                  {column.cell(row)}
                </div>
              ))}
              {badges.map((column) => (
                <div key={column.id}>{column.cell(row)}</div>
              ))}
            </div>
            {actions.map((column) => (
              <div key={column.id} className="-mt-1.5 -mr-1.5 shrink-0">
                {column.cell(row)}
              </div>
            ))}
          </div>
          {lines.map((column) => (
            <div key={column.id} className="mt-2">
              {column.cell(row)}
            </div>
          ))}
          {facts.length > 0 && (
            <dl className="mt-3 grid grid-cols-2 gap-x-4 gap-y-2.5 text-sm">
              {facts.map((column) => (
                <div key={column.id} className="min-w-0">
                  <dt className="text-xs text-muted">{column.header}</dt>
                  <dd className="mt-0.5">{column.cell(row)}</dd>
                </div>
              ))}
            </dl>
          )}
        </li>
      ))}
    </ul>
  );
}
