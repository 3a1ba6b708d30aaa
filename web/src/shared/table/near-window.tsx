import { defaultRangeExtractor, useWindowVirtualizer, type Range } from "@tanstack/react-virtual";
import { useCallback, useEffect, useLayoutEffect, useMemo, useState, type RefObject } from "react";

/** A row, or the space of rows that are not rendered. */
type RowPlace = { kind: "row"; index: number } | { kind: "gap"; key: string; height: number };

/** The rendered part of a long list, and the ref of its rows. */
export interface Near {
  places: readonly RowPlace[];
  measure: (element: HTMLElement | null) => void;
}

export interface NearWindowProps {
  /** The element that contains the rows. */
  list: RefObject<HTMLElement | null>;
  /** Of all rows. */
  keys: readonly string[];
  /** The approximate height of a row. */
  estimate: number;
  /** Null: all rows are rendered. */
  onNear: (near: Near | null) => void;
}

/**
 * Reports which rows are near the window; renders nothing. The page itself scrolls. The last
 * focused row stays rendered, so that the focus, its menu and its dialog are kept.
 */
export function NearWindow({ list, keys, estimate, onNear }: NearWindowProps) {
  const focused = useFocusedRow(list);
  const pinned = focused === null ? -1 : keys.indexOf(focused);
  const scrollMargin = useTopOf(list);
  // oxlint-disable-next-line react/incompatible-library -- what it returns is used in this render only
  const virtualizer = useWindowVirtualizer({
    count: keys.length,
    estimateSize: () => estimate,
    overscan: 10,
    scrollMargin,
    // Stable, to avoid a measurement at every render.
    getItemKey: useCallback((index: number) => keys[index] ?? index, [keys]),
    // Not rounded, because fractions of a pixel add up over thousands of rows.
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
  const items = virtualizer.getVirtualItems();
  const end = scrollMargin + virtualizer.getTotalSize();
  const measure = virtualizer.measureElement;
  const near = useMemo(() => {
    const places: RowPlace[] = [];
    let reached = scrollMargin;
    const gap = (until: number, key: string) => {
      if (until - reached > 0.01) places.push({ kind: "gap", key, height: until - reached });
    };
    for (const item of items) {
      gap(item.start, `before ${item.key}`);
      places.push({ kind: "row", index: item.index });
      reached = item.end;
    }
    gap(end, "after all");
    return { places, measure };
  }, [items, scrollMargin, end, measure]);
  useLayoutEffect(() => onNear(near), [near, onNear]);
  useLayoutEffect(() => () => onNear(null), [onNear]);
  return null;
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

/** The element's offset from the top of the page; follows changes of the content above. */
function useTopOf(element: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
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
  }, [element]);
  return top;
}
