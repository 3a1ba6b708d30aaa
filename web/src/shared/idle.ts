import { useEffect, useState } from "react";

/** Long enough for a first page to have loaded its own code and data on a slow phone. */
const settleMs = 5_000;

/** Runs `work` after the first page had time to load, when the browser is idle. */
export function whenIdle(work: () => void): void {
  setTimeout(() => {
    // Safari has no idle callbacks.
    if ("requestIdleCallback" in window) requestIdleCallback(work, { timeout: 2_000 });
    else work();
  }, settleMs);
}

/** Runs `work` after the next frame, which must not wait for it. A hidden page has no frames. */
export function afterFrame(work: () => void): void {
  if (document.hidden) setTimeout(work);
  else requestAnimationFrame(() => setTimeout(work));
}

/** False until `wait` runs its work. */
export function useWaited(wait: (work: () => void) => void): boolean {
  const [isOver, setIsOver] = useState(false);
  useEffect(() => wait(() => setIsOver(true)), [wait]);
  return isOver;
}
