import { useEffect, useMemo, useState, type ReactNode, type RefObject } from "react";
import { onDemand, useIsLoaded } from "../on-demand";
import type { WindowedRow } from "./column";
import type { Near, NearWindowProps } from "./near-window";
import { usePrinting } from "./use-printing";

/** Up to this number, all rows are rendered. */
const plainRows = 60;
/** The rows of a longer list before the first measurement. */
const firstRows = 10;

const nearWindow = onDemand<NearWindowProps>(() =>
  import("./near-window").then((module) => module.NearWindow),
);

/** The rows near the window, with gaps for all others. */
export function useWindowedRows<Row>({
  list,
  rows,
  rowKey,
  estimate,
}: {
  /** The element that contains the rows. */
  list: RefObject<HTMLElement | null>;
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** The approximate height of a row. */
  estimate: number;
}) {
  const printing = usePrinting();
  const isLoaded = useIsLoaded(nearWindow);
  const [near, setNear] = useState<Near | null>(null);
  const keys = useMemo(() => rows.map((row) => rowKey(row)), [rows, rowKey]);
  const long = rows.length > plainRows && !printing;
  useEffect(() => {
    // If it fails, all rows are rendered.
    if (long) nearWindow.load().catch(() => undefined);
  }, [long]);
  const virtual = long && near !== null;
  // The first rows are enough until the watcher measures, in the same frame.
  const rendered = long && isLoaded ? firstRows : rows.length;
  const places = virtual
    ? near.places
    : rows.slice(0, rendered).map((_, index) => ({ kind: "row" as const, index }));
  return {
    items: places.flatMap((place): Array<WindowedRow<Row>> => {
      if (place.kind === "gap") return [place];
      const row = rows[place.index];
      return row === undefined
        ? []
        : [{ kind: "row", row, key: keys[place.index] ?? "", index: place.index }];
    }),
    virtual,
    measure: virtual ? near.measure : undefined,
    /** Must be rendered beside the list. */
    watcher: (long && isLoaded && (
      <nearWindow.Component list={list} keys={keys} estimate={estimate} onNear={setNear} />
    )) satisfies ReactNode,
  };
}
