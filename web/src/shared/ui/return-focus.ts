import { placeOf } from "./place-of";

interface Origin {
  opener: HTMLElement | null;
  /** What gets the focus if the opener has left the page, or if nothing had the focus. */
  place: () => HTMLElement | null;
}

/**
 * `data-not-first`: a switch that changes the fields below it. `data-first`: a button of a dialog
 * without fields.
 */
const fieldSelector =
  "input:not([hidden], :disabled, [data-not-first] *), select, textarea, button[data-first]";

/** The contents of open dialogs, each with where the focus was before. */
const origins = new Map<Element, Origin>();

/**
 * Our dialogs are opened by state, not by a Radix trigger, so Radix can't restore the focus. Spread
 * the result on the dialog's content. With `firstField`, it starts in its first field.
 * `focusAfter` overrides the element to focus on close.
 */
export function returnFocus(firstField = false, focusAfter?: () => HTMLElement | null) {
  return {
    onOpenAutoFocus: (event: Event) => {
      const content = event.currentTarget;
      if (!(content instanceof HTMLElement)) return;
      origins.set(content, originOf(document.activeElement));
      if (!firstField) return;
      const field = content.querySelector<HTMLElement>(fieldSelector);
      if (!field) return;
      event.preventDefault();
      field.focus();
    },
    onCloseAutoFocus: (event: Event) => {
      event.preventDefault();
      const content = event.currentTarget;
      const origin = content instanceof HTMLElement && origins.get(content);
      // Another dialog replaced this one and has the focus.
      if (!origin) return;
      origins.delete(content);
      const next = focusAfter?.() ?? origin.opener;
      next?.focus();
      if (next === null || document.activeElement !== next) {
        origin.place()?.focus({ preventScroll: true });
      }
    },
  };
}

function originOf(active: Element | null): Origin {
  // A dialog that is replaced at once leaves with the focus, before it can return it.
  const replaced = active === document.body && [...origins].find(([each]) => !each.isConnected);
  if (replaced) {
    origins.delete(replaced[0]);
    return replaced[1];
  }
  // A menu item no longer exists when the dialog closes, but the menu's button does.
  const menuButton = active?.closest("[role=menu]")?.getAttribute("aria-labelledby");
  const element = menuButton ? document.getElementById(menuButton) : active;
  const opener = element instanceof HTMLElement && element !== document.body ? element : null;
  return { opener, place: placeOf(opener) };
}
