import { useVirtualizer } from "@tanstack/react-virtual";
import { useLayoutEffect, useRef, useState, type ReactNode } from "react";
import type { FieldMachine } from "../offline-data/machines";

export type ListItem =
  | { kind: "title"; key: string; title: string }
  | { kind: "row"; key: string; machine: FieldMachine };

/** Longer lists are virtualized. */
const plainItems = 80;
const rowHeight = 92;
const titleHeight = 40;

export function LongList({
  items,
  renderRow,
}: {
  items: readonly ListItem[];
  renderRow: (machine: FieldMachine) => ReactNode;
}) {
  const draw = (item: ListItem) =>
    item.kind === "title" ? (
      <h3 className="px-2 pt-3 pb-1 text-sm font-semibold text-muted">{item.title}</h3>
    ) : (
      renderRow(item.machine)
    );
  if (items.length <= plainItems) {
    return (
      <ul className="px-2 pb-3">
        {items.map((item) => (
          <li key={item.key}>{draw(item)}</li>
        ))}
      </ul>
    );
  }
  return <WindowedList items={items} draw={draw} />;
}

function WindowedList({
  items,
  draw,
}: {
  items: readonly ListItem[];
  draw: (item: ListItem) => ReactNode;
}) {
  const list = useRef<HTMLUListElement>(null);
  const [scroller, setScroller] = useState<HTMLElement | null>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const parent = list.current?.parentElement ?? null;
    setScroller(parent);
    if (!list.current || !parent) return;
    setTop(list.current.offsetTop - parent.offsetTop);
    parent.scrollTop = 0;
  }, []);
  // oxlint-disable-next-line react/incompatible-library -- the returned value is used in this render only
  const virtualizer = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller,
    estimateSize: (index) => (items[index]?.kind === "title" ? titleHeight : rowHeight),
    getItemKey: (index) => items[index]?.key ?? index,
    overscan: 8,
    scrollMargin: top,
  });
  return (
    <ul ref={list} className="relative mb-3" style={{ height: virtualizer.getTotalSize() }}>
      {virtualizer.getVirtualItems().map(({ index, key, start }) => {
        const item = items[index];
        return (
          item && (
            <li
              key={key}
              ref={virtualizer.measureElement}
              data-index={index}
              aria-setsize={items.length}
              aria-posinset={index + 1}
              className="absolute inset-x-2 top-0"
              style={{ transform: `translateY(${start - top}px)` }}
            >
              {draw(item)}
            </li>
          )
        );
      })}
    </ul>
  );
}
