import { startTransition, useEffect, useState } from "react";

/** About two screens. */
const step = 30;

/**
 * The number of rows to render of `total`: the first immediately, the others in small steps without
 * blocking.
 */
export function useGrowingCount(total: number): number {
  const [rendered, setRendered] = useState(step);
  // Once all are rendered, new rows must not remove one, because its menu may be open.
  if (rendered >= total && rendered !== Infinity) setRendered(Infinity);
  useEffect(() => {
    if (rendered >= total) return undefined;
    const timer = setTimeout(() => startTransition(() => setRendered((now) => now + step)));
    return () => clearTimeout(timer);
  }, [rendered, total]);
  return rendered;
}
