import { useState } from "react";

/** The selected rows. `order` lists the selectable rows in screen order. */
export function useSelection(order: readonly string[]) {
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());
  const [anchor, setAnchor] = useState<string | null>(null);
  // Rows that were decided in the meantime leave the selection too.
  const chosen = order.filter((id) => ticked.has(id));
  return {
    chosen,
    has: (id: string) => ticked.has(id),
    isSelectable: (id: string) => order.includes(id),
    /** With `range`, from the last selected row to this one. */
    toggle: (id: string, range: boolean) => {
      const on = !ticked.has(id);
      const [from, to] = [order.indexOf(anchor ?? ""), order.indexOf(id)];
      const ids =
        range && from >= 0 && to >= 0
          ? order.slice(Math.min(from, to), Math.max(from, to) + 1)
          : [id];
      const next = new Set(ticked);
      for (const each of ids) {
        if (range || on) next.add(each);
        else next.delete(each);
      }
      setTicked(next);
      setAnchor(id);
    },
    set: (ids: readonly string[], on: boolean) => {
      const next = new Set(ticked);
      for (const id of ids) {
        if (on) next.add(id);
        else next.delete(id);
      }
      setTicked(next);
    },
    clear: () => setTicked(new Set()),
  };
}

export type Selection = ReturnType<typeof useSelection>;
