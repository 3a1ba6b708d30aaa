const items = "[data-row-key], li, tr";
const targets = "a[href], button:not(:disabled)";

/**
 * Remembers the place of an element. The result finds what gets the focus when the element has left
 * the page, as a row that no longer matches its list: the row in its place, otherwise the heading.
 */
export function placeOf(element: Element | null): () => HTMLElement | null {
  const item = element?.closest(items);
  const list = item?.parentElement;
  const index = item && list ? [...list.children].indexOf(item) : 0;
  return () => {
    const rows = list?.isConnected ? list.children : [];
    const row = rows[Math.min(index, rows.length - 1)];
    return row?.querySelector<HTMLElement>(targets) ?? document.querySelector("h1");
  };
}
