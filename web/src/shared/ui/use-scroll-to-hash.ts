import { useEffect } from "react";

/** Scrolls to an element that appears after the router has followed a link to it. */
export function useScrollToHash(id: string): void {
  useEffect(() => {
    if (location.hash === `#${id}`) document.getElementById(id)?.scrollIntoView();
  }, [id]);
}
