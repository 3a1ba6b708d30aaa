import { useEffect, useRef, type ReactNode } from "react";

/** Moves focus to the input in it when it appears; `when`: false leaves the focus alone. */
export function Focused({ when = true, children }: { when?: boolean; children: ReactNode }) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (when) frame.current?.querySelector("input")?.focus();
  }, [when]);
  return <div ref={frame}>{children}</div>;
}
