import type { ReactNode } from "react";

/** A part of a template that stays where its condition holds, see `fill-template.ts`. */
export function When({ is, children }: { is: string; children: ReactNode }) {
  return <span data-if={is}>{children}</span>;
}
