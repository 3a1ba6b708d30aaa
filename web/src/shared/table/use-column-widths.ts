import { useLayoutEffect, useState, type RefObject } from "react";

interface Held {
  columns: unknown;
  /** The table's width at measurement. */
  width: number;
  widths: readonly number[];
}

/** Fixes the widths of columns as measured with the first rendered rows. Null: not fixed. */
export function useColumnWidths(
  table: RefObject<HTMLTableElement | null>,
  active: boolean,
  /** Changes with the columns or the language, to measure again. */
  columns: unknown,
): readonly number[] | null {
  const [held, setHeld] = useState<Held | null>(null);
  const valid = active && held?.columns === columns ? held : null;
  useLayoutEffect(() => {
    const measure = () => {
      const element = table.current;
      const head = element?.tHead?.rows[0];
      // Without a layout there are no widths to fix.
      if (!head || element.clientWidth === 0) return;
      const widths = Array.from(head.cells, (cell) => cell.getBoundingClientRect().width);
      setHeld({ columns, width: element.clientWidth, widths });
    };
    if (active && !valid) measure();
  }, [table, active, columns, valid]);
  useLayoutEffect(() => {
    const element = table.current;
    if (!active || !element || typeof ResizeObserver === "undefined") return;
    const observer = new ResizeObserver(() =>
      setHeld((last) => (last && Math.abs(element.clientWidth - last.width) > 1 ? null : last)),
    );
    observer.observe(element);
    // Text widths change when the web font is loaded.
    const remeasure = () => setHeld(null);
    const fonts = typeof document.fonts === "undefined" ? null : document.fonts;
    fonts?.addEventListener("loadingdone", remeasure);
    return () => {
      observer.disconnect();
      fonts?.removeEventListener("loadingdone", remeasure);
    };
  }, [table, active]);
  return valid && valid.widths;
}
