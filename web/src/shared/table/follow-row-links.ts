const interactive = "a, button, input, label, select, textarea, summary";

/** Follows the link of a clicked row; returns a function that stops it. */
export function followRowLinks(element: HTMLElement): () => void {
  const follow = (event: MouseEvent) => {
    const { target } = event;
    if (!(target instanceof Element) || target.closest(interactive)) return;
    // Selected text is copied, not followed.
    if (window.getSelection()?.isCollapsed === false) return;
    const row = target.closest("[data-row-key]");
    const link = row?.querySelector<HTMLAnchorElement>("a[data-row-link]");
    if (!link) return;
    if (event.type === "auxclick") {
      if (event.button === 1) window.open(link.href, "_blank", "noopener");
      return;
    }
    const { ctrlKey, metaKey, shiftKey } = event;
    link.dispatchEvent(
      new MouseEvent("click", { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey }),
    );
  };
  element.addEventListener("click", follow);
  element.addEventListener("auxclick", follow);
  return () => {
    element.removeEventListener("click", follow);
    element.removeEventListener("auxclick", follow);
  };
}
