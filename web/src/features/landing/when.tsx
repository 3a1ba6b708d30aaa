import type { ReactNode } from "react";

/** A part of a template that is kept if its condition is met; see `fill-template.ts`. */
export function When({ is, children }: { is: string; children: ReactNode }) {
  return <span data-if={is}>{children}</span>;
}
