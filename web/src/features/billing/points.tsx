import type { ReactNode } from "react";

export function Points({ items }: { items: readonly ReactNode[] }) {
  return (
    <ul className="mt-3 list-disc space-y-2 pl-5 marker:text-muted">
      {items.map((item, index) => (
        // The points of one dialog don't move.
        // oxlint-disable-next-line react/no-array-index-key
        <li key={index}>{item}</li>
      ))}
    </ul>
  );
}
