import { isCovered } from "../keys/use-keys";
import { placeOf } from "./place-of";

/** These return the focus themselves. */
const covers = "[role=dialog], [role=alertdialog], [role=menu], [data-toasts]";

/**
 * Moves the focus to the next sensible element when the focused one leaves the page. Returns a
 * function that stops this.
 */
export function keepFocus(): () => void {
  let last: Element | null = null;
  let place = placeOf(null);
  const onFocus = ({ target }: Event) => {
    last = target instanceof Element && !target.closest(covers) ? target : null;
    place = placeOf(last);
  };
  // A press on plain text takes the focus away on purpose.
  const onPress = () => {
    last = null;
  };
  const observer = new MutationObserver(() => {
    if (!last || last.isConnected || document.activeElement !== document.body || isCovered()) {
      return;
    }
    last = null;
    place()?.focus({ preventScroll: true });
  });
  document.addEventListener("focusin", onFocus);
  document.addEventListener("pointerdown", onPress);
  observer.observe(document.body, { childList: true, subtree: true });
  return () => {
    document.removeEventListener("focusin", onFocus);
    document.removeEventListener("pointerdown", onPress);
    observer.disconnect();
  };
}
