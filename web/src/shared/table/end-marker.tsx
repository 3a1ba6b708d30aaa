import { useEffect, useRef } from "react";

/**
 * Calls `onReached` when the end of the list is near the window, and again when `onReached`
 * changes.
 */
export function EndMarker({ onReached }: { onReached: () => void }) {
  const marker = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = marker.current;
    if (!element || typeof IntersectionObserver === "undefined") return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) onReached();
      },
      { rootMargin: "800px 0px" },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [onReached]);
  return <div ref={marker} aria-hidden className="no-print h-px" />;
}
