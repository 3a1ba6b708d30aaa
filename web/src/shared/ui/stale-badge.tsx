import { clsx } from "clsx";
import { TimerOff } from "lucide-react";
import type { ReactNode } from "react";

/** Neutral, because without a recent reading the service status is not known. */
export function StaleBadge({ children }: { children: ReactNode }) {
  return (
    <span
      className={clsx(
        "inline-flex items-center gap-1.5 rounded-full border border-control-line py-[3px] pr-2.5 pl-2",
        "bg-sunken text-sm font-semibold whitespace-nowrap text-ink print:bg-transparent",
      )}
    >
      <StaleIcon />
      {children}
    </span>
  );
}

export function StaleIcon() {
  return <TimerOff aria-hidden className="size-4 shrink-0" />;
}
