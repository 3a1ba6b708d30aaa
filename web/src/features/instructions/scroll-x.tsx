import type { ReactNode } from "react";

/** A scroll container for wide tables, also by keyboard. */
export function ScrollX({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div
      role="group"
      aria-label={label}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reachable by keys (WCAG 2.1.1)
      tabIndex={0}
      className="overflow-x-auto rounded-card border border-line bg-raised"
    >
      {children}
    </div>
  );
}
