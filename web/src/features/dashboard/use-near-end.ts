import { useEffect, useEffectEvent, type RefObject } from "react";

/** How far above the end the next page is requested. */
const margin = 240;

/** Calls `onNear` when the box is scrolled near its end, or is not filled by its content. */
export function useNearEnd(
  box: RefObject<HTMLElement | null>,
  /** Changes with each loaded page; undefined: nothing to load. */
  page: number | undefined,
  onNear: () => void,
): void {
  const near = useEffectEvent(onNear);
  useEffect(() => {
    const element = box.current;
    if (!element || page === undefined) return;
    const check = () => {
      const left = element.scrollHeight - element.scrollTop - element.clientHeight;
      if (left < margin) near();
    };
    check();
    element.addEventListener("scroll", check, { passive: true });
    return () => element.removeEventListener("scroll", check);
  }, [box, page]);
}
