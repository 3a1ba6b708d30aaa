import type { ReactNode } from "react";

/** One definition serves the table, the cards and whatever else lists the rows. */
export interface Column<Row> {
  id: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** What stands on a card, where that is another thing than in the table. */
  cardCell?: (row: Row) => ReactNode;
  /** Shows the heading of the actions too, which otherwise only screen readers are told. */
  headed?: boolean;
  /** Numbers stand at the end, so that their digits line up. */
  align?: "start" | "end";
  /** Makes the heading a sort button. Null sorts last. */
  sortValue?: (row: Row) => string | number | null;
  /** Makes the heading a sort button of a table whose rows come sorted (`onSort`). */
  sortable?: boolean;
  /**
   * Where the cell goes on a card: the title, the badge beside it, a line of its own below them, a
   * labelled fact (default), the actions in its corner, or nowhere.
   */
  card?: "title" | "badge" | "line" | "fact" | "actions" | "none";
}

export interface Sort {
  id: string;
  descending: boolean;
}

/** What stands on screen: rows, and between them the room of those that are not drawn. */
export type Piece<Row> =
  | { kind: "row"; row: Row; key: string; index: number }
  | { kind: "gap"; key: string; height: number };
