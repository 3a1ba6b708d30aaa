import { useRef } from "react";

/**
 * Our dialogs are opened by state, not by a Radix trigger, so Radix does not know whom to give the
 * focus back to. Spread the result on the dialog's content. With `firstField` a form starts in its
 * first field instead of on the close button. `focusAfter` may name what comes next instead.
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

/** A menu item is gone by the time the dialog closes; the button that opened the menu is not. */
function openerOf(active: Element | null): HTMLElement | null {
  const menuButton = active?.closest("[role=menu]")?.getAttribute("aria-labelledby");
  const element = menuButton ? document.getElementById(menuButton) : active;
  return element instanceof HTMLElement ? element : null;
}
