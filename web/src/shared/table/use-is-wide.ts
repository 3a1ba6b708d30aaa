import { useLayoutEffect, useState, type RefObject } from "react";

/**
 * Whether the container (not the window) is at least `width` wide; falls back to the window if it
 * can't be measured.
 */
export function useIsWide(container: RefObject<HTMLElement | null>, width: number): boolean {
  // No container is wider than the window, so a phone never renders the wide form first.
  const [wide, setWide] = useState(() => window.innerWidth >= width);
  useLayoutEffect(() => {
    const element = container.current;
    if (!element || typeof ResizeObserver === "undefined") return;
    const measure = () => setWide(element.getBoundingClientRect().width >= width);
    // The observer measures after the next layout. Only a wide window may need another form before
    // that; forcing the layout of a phone's first page delays it.
    if (window.innerWidth >= width) measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [container, width]);
  return wide;
}
