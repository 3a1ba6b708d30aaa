import { useEffect, useRef, useState } from "react";

/** The time in which a closing dialog restores the focus. */
export const dialogFocusDelayMs = 300;
/** A key press meant for a removed row must not decide its successor. */
const settleMs = 400;

export const rowId = (id: string) => `update-${id}`;

/**
 * The row that Tab focuses and that shortcuts act on. When it is removed, the next row becomes
 * active and gets the focus.
 */
export function useActiveRow(order: readonly string[]) {
  const [last, setLast] = useState<{ id: string; index: number } | null>(null);
  // Whether the focus is on a row, or was when that row was removed.
  const inside = useRef(false);
  const at = last ? order.indexOf(last.id) : -1;
  const index = at >= 0 ? at : Math.min(last?.index ?? 0, order.length - 1);
  const active = order[index] ?? null;

  if (last && active && (last.id !== active || last.index !== index)) {
    setLast({ id: active, index });
  }

  const [wanted, setWanted] = useState<string | null>(null);
  const isListed = wanted !== null && order.includes(wanted);
  useEffect(() => {
    if (isListed) focusRow(wanted);
  }, [isListed, wanted]);

  const latestActive = useRef(active);
  const chosen = useRef<string | null>(null);
  const expected = useRef(new Set<string>());
  const movedAt = useRef(-Infinity);
  const focusTimer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(focusTimer.current), []);
  useEffect(() => {
    const previous = latestActive.current;
    latestActive.current = active;
    const wasReplaced = previous !== null && previous !== active && chosen.current !== active;
    if (wasReplaced && !expected.current.has(previous)) movedAt.current = performance.now();
    if (inside.current && isLost(document.activeElement)) focusRow(active);
  }, [active]);

  useEffect(() => {
    // A press on the empty page only blurs the focused element.
    const trackFocus = ({ target }: Event) => {
      inside.current = target instanceof Element && rowOf(target) !== null;
    };
    document.addEventListener("focusin", trackFocus);
    document.addEventListener("pointerdown", trackFocus);
    return () => {
      document.removeEventListener("focusin", trackFocus);
      document.removeEventListener("pointerdown", trackFocus);
    };
  }, []);

  return {
    active,
    /** Whether a row has the focus. */
    isInside,
    /**
     * False for a moment after the active row was replaced, so that a key press does not decide an
     * unread row.
     */
    isSettled: () => performance.now() - movedAt.current > settleMs,
    /** The user has just decided this row, so its successor is expected. */
    expectRemoval: (id: string) => expected.current.add(id),
    setActive: (id: string) => {
      chosen.current = id;
      setLast({ id, index: order.indexOf(id) });
      setWanted(null);
    },
    /** Moves to a neighbor, or onto the list if the focus is elsewhere. */
    move: (step: 1 | -1) => {
      const next = order[isInside() ? index + step : index];
      if (next !== undefined) focusRow(next);
    },
    focus: () => focusRow(active),
    /** Moves to a row as soon as it is in the list. */
    focusWhenListed: setWanted,
    /** Restores the focus after a dialog whose row may be gone. */
    restoreFocus: () => {
      clearTimeout(focusTimer.current);
      focusTimer.current = setTimeout(() => {
        // A closed dialog leaves the focus on the heading if its opener is gone.
        const focused = document.activeElement;
        if (isLost(focused) || focused?.matches("h1")) focusRow(latestActive.current);
      }, dialogFocusDelayMs);
    },
  };
}

/** Focuses the row once, when it is first rendered. */
export function useFocusedRow(id: string | undefined): void {
  const focused = useRef<string>(undefined);
  useEffect(() => {
    const row = id !== undefined && focused.current !== id && document.getElementById(rowId(id));
    if (!row) return;
    focused.current = id;
    row.focus({ preventScroll: true });
    row.scrollIntoView?.({ block: "center" });
  });
}

function rowOf(element: Element | null): Element | null {
  return element?.closest('[role=row][id^="update-"]') ?? null;
}

function isInside(): boolean {
  return rowOf(document.activeElement) !== null;
}

/** Whether the focused element was removed or became inert, or is a decided row. */
export function isLost(element: Element | null): boolean {
  return (
    element === null ||
    element === document.body ||
    element.closest("[inert]") !== null ||
    element.matches("[data-decided]")
  );
}

function focusRow(id: string | null): void {
  const row = id === null ? document.querySelector("h1") : document.getElementById(rowId(id));
  row?.focus({ preventScroll: true });
  row?.scrollIntoView?.({ block: "nearest" });
}
