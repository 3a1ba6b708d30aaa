import type { ReactNode } from "react";

export function SectionTitle({ id, children }: { id?: string; children: ReactNode }) {
  return (
    <h2
      id={id}
      className="text-[clamp(1.625rem,1.25rem+1.5vw,2.25rem)] leading-[1.15] font-[650] tracking-[-0.02em] text-balance"
    >
      {children}
    </h2>
  );
}
