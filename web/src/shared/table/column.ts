import type { ReactNode } from "react";

/** One definition serves the table, the cards and whatever else lists the rows. */
export interface Column<Row> {
  id: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** Numbers stand at the end, so that their digits line up. */
  align?: "start" | "end";
  /** Makes the heading a sort button. Null sorts last. */
  sortValue?: (row: Row) => string | number | null;
  /**
   * Where the cell goes on a card: the title, the badge beside it, a line of its own below them, a
   * labelled fact (default), the actions in its corner, or nowhere.
   */
  card?: "title" | "badge" | "line" | "fact" | "actions" | "none";
}
