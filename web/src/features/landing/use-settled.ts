import { useEffect, useState } from "react";

const signs = ["pointermove", "pointerdown", "touchstart", "keydown", "scroll"] as const;
/** After the load event: the first screen is painted by then, on a slow phone too. */
const pause = 600;

/**
 * False while the first screens load, true from the visitor's first sign of life, or by itself
 * shortly after: what stands below must not slow those down, but has to be there for who prints,
 * searches the page or only looks.
 */
export function useSettled(): boolean {
  const [settled, setSettled] = useState(() => window.location.hash !== "");
  useEffect(() => {
    if (settled) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const settle = () => setSettled(true);
    const loaded = () => {
      timer = setTimeout(settle, pause);
    };
    if (document.readyState === "complete") loaded();
    else window.addEventListener("load", loaded, { once: true });
    for (const sign of signs) window.addEventListener(sign, settle, { passive: true, once: true });
    window.addEventListener("beforeprint", settle, { once: true });
    return () => {
      clearTimeout(timer);
      window.removeEventListener("load", loaded);
      for (const sign of signs) window.removeEventListener(sign, settle);
      window.removeEventListener("beforeprint", settle);
    };
  }, [settled]);
  return settled;
}
