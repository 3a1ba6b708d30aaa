import { useEffect, useRef, useState } from "react";

/** By then a dialog has given the focus back. */
const afterDialog = 300;

export const rowId = (id: string) => `update-${id}`;

/**
 * The row that Tab leads to and the keys act on. When it goes, the one that takes its place follows,
 * and the focus with it.
 */
export function useActiveRow(order: readonly string[]) {
  const [last, setLast] = useState<{ id: string; index: number } | null>(null);
  // Whether the focus is on a row, or was when that row went.
  const inside = useRef(false);
  const at = last ? order.indexOf(last.id) : -1;
  const index = at >= 0 ? at : Math.min(last?.index ?? 0, order.length - 1);
  const active = order[index] ?? null;

  if (last && active && (last.id !== active || last.index !== index)) {
    setLast({ id: active, index });
  }

  const newest = useRef(active);
  useEffect(() => {
    newest.current = active;
    if (inside.current && isLost(document.activeElement)) focusRow(active);
  }, [active]);

  useEffect(() => {
    const onFocus = (event: FocusEvent) => {
      inside.current =
        event.target instanceof Element && event.target.closest('[id^="update-"]') !== null;
    };
    document.addEventListener("focusin", onFocus);
    return () => document.removeEventListener("focusin", onFocus);
  }, []);

  return {
    active,
    /** Whether the keys of a row have one to act on. */
    isInside: () => inside.current,
    setActive: (id: string) => setLast({ id, index: order.indexOf(id) }),
    /** To a neighbour, or onto the list when the focus is elsewhere. */
    move: (step: 1 | -1) => {
      const next = order[inside.current ? index + step : index];
      if (next !== undefined) focusRow(next);
    },
    focus: () => focusRow(active),
    /** A dialog that was opened from a row gives the focus back to where nothing may be any more. */
    keepFocus: () => {
      setTimeout(() => {
        if (isLost(document.activeElement)) focusRow(newest.current);
      }, afterDialog);
    },
  };
}

/** What had the focus is gone, or can't have it any more. */
function isLost(element: Element | null): boolean {
  return element === null || element === document.body || element.closest("[inert]") !== null;
}

function focusRow(id: string | null): void {
  const row = id === null ? document.querySelector("h1") : document.getElementById(rowId(id));
  row?.focus({ preventScroll: true });
  row?.scrollIntoView?.({ block: "nearest" });
}
