import { clsx } from "clsx";
import type { ReactNode } from "react";

/** The second line of a cell; in compact tables and on cards it follows the first one. */
export function CellDetail({ className, children }: { className?: string; children: ReactNode }) {
  return (
    <span
      className={clsx(
        "block text-xs text-muted in-data-compact:inline in-data-compact:before:content-['_·_']",
        className,
      )}
    >
      {children}
    </span>
  );
}
