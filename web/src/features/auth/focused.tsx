import { useEffect, useRef, type ReactNode } from "react";

/** Focuses its input when it appears, unless `when` is false. */
export function Focused({ when = true, children }: { when?: boolean; children: ReactNode }) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (when) frame.current?.querySelector("input")?.focus();
  }, [when]);
  return <div ref={frame}>{children}</div>;
}
