import { startTransition, useEffect, useState } from "react";

/** About two screens. */
const step = 30;

/**
 * The number of rows to render of `total`: the first immediately, the others in small steps without
 * blocking.
 */
export function useGrowing(total: number): number {
  const [drawn, setDrawn] = useState(step);
  // Once all are drawn, none goes again for newcomers before it: its menu may be open.
  if (drawn >= total && drawn !== Infinity) setDrawn(Infinity);
  useEffect(() => {
    if (drawn >= total) return undefined;
    const timer = setTimeout(() => startTransition(() => setDrawn((now) => now + step)));
    return () => clearTimeout(timer);
  }, [drawn, total]);
  return drawn;
}
