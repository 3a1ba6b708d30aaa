import type { ReactNode } from "react";

/** A column of the table and a field of the cards. */
export interface Column<Row> {
  id: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** The content on a card, if it differs from the table. */
  cardCell?: (row: Row) => ReactNode;
  /** Whether a table below 1024 px leaves it out. */
  wide?: boolean;
  /** Shows the heading of the actions, which is otherwise for screen readers only. */
  headed?: boolean;
  /** Numbers are aligned to the end, so that their digits line up. */
  align?: "start" | "end";
  /** Makes the heading a sort button for sorting in the client. Null sorts last. */
  sortValue?: (row: Row) => string | number | null;
  /** Makes the heading a sort button for sorting by the server. */
  sortable?: boolean;
  /**
   * The place of the cell on a card: the title, the badge beside it, a separate line below them, a
   * labeled fact (default), the actions in the corner, or none.
   */
  card?: "title" | "badge" | "line" | "fact" | "actions" | "none";
}

export interface Sort {
  id: string;
  descending: boolean;
}

/** A rendered row, or the space of rows that are not rendered. */
export type WindowedRow<Row> =
  | { kind: "row"; row: Row; key: string; index: number }
  | { kind: "gap"; key: string; height: number };
