import { useEffect, type RefObject } from "react";

/** On the link that a click anywhere in its row follows. */
export const rowLink = { "data-row-link": "" };

/** A click in a row follows the row's link, with the same keys and in a new tab by middle click. */
export function useRowLinks(list: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = list.current;
    let stop: (() => void) | undefined;
    let left = false;
    import("./follow-row-links").then(
      ({ followRowLinks }) => {
        if (element && !left) stop = followRowLinks(element);
      },
      // The links themselves still work.
      () => undefined,
    );
    return () => {
      left = true;
      stop?.();
    };
  }, [list]);
}
