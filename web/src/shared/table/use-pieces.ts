import { defaultRangeExtractor, useWindowVirtualizer, type Range } from "@tanstack/react-virtual";
import { useCallback, useEffect, useLayoutEffect, useState, type RefObject } from "react";
import type { Piece } from "./column";
import { usePrinting } from "./use-printing";

/** Up to so many rows are simply drawn. */
const plainRows = 60;

/**
 * The rows near the window, with the room of all others. The page itself scrolls. The row that was
 * focused last stays drawn, so that the keyboard, its menu and its dialog don't lose their place.
 */
export function usePieces<Row>({
  list,
  rows,
  rowKey,
  estimate,
}: {
  /** The element whose children the rows are. */
  list: RefObject<HTMLElement | null>;
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** About how high a row is. */
  estimate: number;
}) {
  const printing = usePrinting();
  const virtual = rows.length > plainRows && !printing;
  const focused = useFocusedRow(list);
  const pinned =
    virtual && focused !== null ? rows.findIndex((row) => rowKey(row) === focused) : -1;
  const scrollMargin = useTopOf(list, virtual);
  // oxlint-disable-next-line react/incompatible-library -- what it returns is used in this render only
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    enabled: virtual,
    estimateSize: () => estimate,
    overscan: 10,
    scrollMargin,
    getItemKey: (index) => keyAt(rows, rowKey, index),
    // Unrounded, or thousands of rows drift by a part of a pixel each.
    measureElement: (element) => element.getBoundingClientRect().height || estimate,
    rangeExtractor: useCallback(
      (range: Range) => {
        const near = defaultRangeExtractor(range);
        return pinned < 0 || near.includes(pinned)
          ? near
          : [...near, pinned].sort((left, right) => left - right);
      },
      [pinned],
    ),
  });
  if (!virtual) {
    const pieces = rows.map((row, index): Piece<Row> => ({
      kind: "row",
      row,
      key: rowKey(row),
      index,
    }));
    return { pieces, virtual, measure: undefined };
  }
  return { pieces: drawn(), virtual, measure: virtualizer.measureElement };

  function drawn(): Piece<Row>[] {
    const pieces: Piece<Row>[] = [];
    let reached = scrollMargin;
    const gap = (until: number, key: string) => {
      if (until - reached > 0.01) pieces.push({ kind: "gap", key, height: until - reached });
    };
    for (const { index, start, end } of virtualizer.getVirtualItems()) {
      const row = rows[index];
      if (row === undefined) continue;
      const key = rowKey(row);
      gap(start, `before ${key}`);
      pieces.push({ kind: "row", row, key, index });
      reached = end;
    }
    gap(scrollMargin + virtualizer.getTotalSize(), "after all");
    return pieces;
  }
}

function keyAt<Row>(rows: readonly Row[], rowKey: (row: Row) => string, index: number) {
  const row = rows[index];
  return row === undefined ? index : rowKey(row);
}

/** The key of the row that was focused last. */
function useFocusedRow(list: RefObject<HTMLElement | null>): string | null {
  const [focused, setFocused] = useState<string | null>(null);
  useEffect(() => {
    const element = list.current;
    const note = ({ target }: FocusEvent) => {
      const row = target instanceof Element && target.closest<HTMLElement>("[data-row-key]");
      if (row) setFocused(row.dataset.rowKey ?? null);
    };
    element?.addEventListener("focusin", note);
    return () => element?.removeEventListener("focusin", note);
  }, [list]);
  return focused;
}

/** How far below the beginning of the page the element stands; follows whatever grows above it. */
function useTopOf(element: RefObject<HTMLElement | null>, active: boolean): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    if (!active) return;
    const measure = () => {
      if (element.current) {
        setTop(Math.round(element.current.getBoundingClientRect().top + window.scrollY));
      }
    };
    measure();
    if (typeof ResizeObserver === "undefined") return;
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [element, active]);
  return top;
}
