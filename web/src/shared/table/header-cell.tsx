import { ArrowDown, ArrowUp, ChevronsUpDown } from "lucide-react";
import { useTranslation } from "react-i18next";
import type { Column, Sort } from "./column";
import { nextSort } from "./sort-rows";

/** Stays in view while the other columns scroll; text under its edge fades. */
export const actionsCell = "fade-before sticky right-0 bg-inherit print:hidden";

export function HeaderCell<Row>({
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
      className={`px-2.5 py-2.5 text-xs first:pl-4 last:pr-3 font-semibold text-muted ${end ? "text-right" : "text-left"} ${column.card === "actions" ? actionsCell : ""}`}
    >
      {column.sortValue || column.sortable ? (
        <button
          type="button"
          title={t("common.sortBy", { column: column.header })}
          onClick={() => onSort(nextSort(column.id, active))}
          className={`-mx-1.5 inline-flex min-h-11 items-center desk:min-h-6 gap-1 rounded-control px-1.5 font-semibold hover:text-ink ${end ? "text-right" : "text-left"}`}
        >
          {column.header}
          <Icon aria-hidden className={`size-3.5 shrink-0 ${active ? "text-ink" : "opacity-50"}`} />
        </button>
      ) : column.card === "actions" && !column.headed ? (
        <span className="sr-only">{column.header}</span>
      ) : (
        column.header
      )}
    </th>
  );
}
