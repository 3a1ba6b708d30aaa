import { compareNames } from "#/domain/names";
import type { Column, Sort } from "./column";

/** Ascending, then descending, then the default order. */
export function nextSort(id: string, active: Sort | null): Sort | null {
  if (!active) return { id, descending: false };
  return active.descending ? null : { id, descending: true };
}

export function sortRows<Row>(
  rows: readonly Row[],
  columns: ReadonlyArray<Column<Row>>,
  sort: Sort | null,
): readonly Row[] {
  const value = columns.find((column) => column.id === sort?.id)?.sortValue;
  if (!sort || !value) return rows;
  return rows.toSorted((left, right) => {
    const a = value(left);
    const b = value(right);
    if (a === null || b === null) return Number(a === null) - Number(b === null);
    const order =
      typeof a === "number" && typeof b === "number" ? a - b : compareNames(String(a), String(b));
    return sort.descending ? -order : order;
  });
}
