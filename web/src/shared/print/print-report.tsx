import { clsx } from "clsx";
import type { PrintJob } from "./store";

/** More columns than this are printed in landscape. */
const portraitColumns = 6;

export function isWide({ columns }: PrintJob): boolean {
  return columns.length > portraitColumns;
}

/** A print-only report: a heading and a table whose header repeats on every page. */
export function PrintReport({ title, company, date, note, columns, rows }: PrintJob) {
  return (
    <>
      <header className="mb-4 flex items-end justify-between gap-6 border-b-2 border-ink pb-2">
        <div>
          <p className="text-sm text-muted">{company}</p>
          <h1 className="text-title font-[650]">{title}</h1>
          {note !== undefined && <p className="mt-0.5 text-sm">{note}</p>}
        </div>
        <p className="shrink-0 text-sm whitespace-nowrap">{date}</p>
      </header>
      <table className="w-full border-collapse text-left text-xs">
        <thead>
          <tr className="border-b border-ink">
            {columns.map((column) => (
              <th key={column.header} scope="col" className={cellClass(column.align, "font-bold")}>
                {column.header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            // oxlint-disable-next-line react/no-array-index-key -- a report never changes its rows
            <tr key={index} className="border-b border-line">
              {columns.map((column, at) => (
                <td key={column.header} className={cellClass(column.align)}>
                  {row[at]}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function cellClass(align: "start" | "end" = "start", more?: string): string {
  return clsx(
    "px-2 py-1.5 align-top first:pl-0 last:pr-0",
    align === "end" && "text-right whitespace-nowrap",
    more,
  );
}
