import { useEffect, useEffectEvent } from "react";

/** A function per key, false while it is disabled; Shift is part of the name: "Shift+A". */
export type Keys = Record<string, (() => void) | false>;

/**
 * Single-key shortcuts. Inactive while typing or while a dialog or menu is open. A held key acts
 * once, except `repeatable` keys. Keys of a page precede those of the whole application.
 */
export function useKeys(
  keys: () => Keys,
  repeatable: ReadonlySet<string>,
  scope: "page" | "application" = "page",
): void {
  const now = useEffectEvent(keys);
  useEffect(() => {
    const listener = (event: Event) => {
      if (!(event instanceof KeyboardEvent)) return;
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.isComposing || isTyping(event.target) || isCovered()) return;
      const name = nameOf(event);
      if (event.repeat && !repeatable.has(name)) return;
      const act = now()[name];
      if (!act) return;
      event.preventDefault();
      act();
    };
    // An event reaches the document before the window.
    const target = scope === "page" ? document : window;
    target.addEventListener("keydown", listener);
    return () => target.removeEventListener("keydown", listener);
  }, [repeatable, scope]);
}

function nameOf({ key, shiftKey }: KeyboardEvent): string {
  // A character that needs Shift on one keyboard layout has its own key on another.
  const isLetter = /^[a-z]$/i.test(key);
  return isLetter && shiftKey ? `Shift+${key.toUpperCase()}` : isLetter ? key.toLowerCase() : key;
}

export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable) return true;
  if (target instanceof HTMLInputElement) return !["checkbox", "radio"].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

/** Whether a dialog or menu is open. */
export function isCovered(): boolean {
  return document.querySelector("[role=dialog], [role=alertdialog], [role=menu]") !== null;
}
