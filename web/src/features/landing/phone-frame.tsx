import { clsx } from "clsx";
import type { ReactNode } from "react";

/** Dark like the device itself in both themes. */
export function PhoneFrame({ className, children }: { className?: string; children: ReactNode }) {
  return (
    <div
      className={clsx(
        "overflow-hidden rounded-[2rem] border-8 border-[oklch(22%_0.02_240)] bg-[oklch(22%_0.02_240)] outline outline-control-line",
        className,
      )}
    >
      <div className="overflow-hidden rounded-[1.5rem] bg-surface">{children}</div>
    </div>
  );
}
