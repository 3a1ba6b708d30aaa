import { useEffect, useState, type ReactNode } from "react";

const signs = ["pointermove", "pointerdown", "touchstart", "keydown", "scroll"] as const;
const patience = 5000;

/**
 * Shows its children, and with them loads their code, at the visitor's first sign of life or after
 * a while: what stands below the first screens must not slow those down.
 */
export function Later({ children }: { children: ReactNode }) {
  const [due, setDue] = useState(() => window.location.hash !== "");
  useEffect(() => {
    if (due) return;
    const act = () => setDue(true);
    const timer = setTimeout(act, patience);
    for (const sign of signs) window.addEventListener(sign, act, { passive: true, once: true });
    return () => {
      clearTimeout(timer);
      for (const sign of signs) window.removeEventListener(sign, act);
    };
  }, [due]);
  return due ? children : null;
}
