import { useRef } from "react";

/**
 * Our dialogs are opened by state, not by a Radix trigger, so Radix can't restore the focus. Spread
 * the result on the dialog's content. With `firstField`, a form starts in its first field.
 * `focusAfter` overrides the element to focus on close.
 */
export function useReturnFocus(firstField = false, focusAfter?: () => HTMLElement | null) {
  const opener = useRef<HTMLElement | null>(null);
  return {
    onOpenAutoFocus: (event: Event) => {
      opener.current = openerOf(document.activeElement);
      if (!firstField || !(event.currentTarget instanceof HTMLElement)) return;
      const field = event.currentTarget.querySelector<HTMLElement>(
        "input:not([hidden]), select, textarea",
      );
      if (!field) return;
      event.preventDefault();
      field.focus();
    },
    onCloseAutoFocus: (event: Event) => {
      event.preventDefault();
      (focusAfter?.() ?? opener.current)?.focus();
    },
  };
}

/** A menu item no longer exists when the dialog closes, but the menu's button does. */
function openerOf(active: Element | null): HTMLElement | null {
  const menuButton = active?.closest("[role=menu]")?.getAttribute("aria-labelledby");
  const element = menuButton ? document.getElementById(menuButton) : active;
  return element instanceof HTMLElement ? element : null;
}
