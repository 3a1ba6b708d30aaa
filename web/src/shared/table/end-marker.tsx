import { useEffect, useRef } from "react";

/** Tells when the end of a list comes near the window; tells again for every new `onReached`. */
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
