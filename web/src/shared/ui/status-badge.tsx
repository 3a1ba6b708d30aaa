import { clsx } from "clsx";
import { CircleCheck, Clock, Minus, OctagonAlert, Wrench, type LucideIcon } from "lucide-react";
import type { ReactNode } from "react";

export type Severity = "none" | "good" | "soon" | "due" | "over";

const icons: Record<Severity, LucideIcon> = {
  none: Minus,
  good: CircleCheck,
  soon: Clock,
  due: Wrench,
  over: OctagonAlert,
};

const fills: Record<Severity, string> = {
  none: "bg-sunken text-muted",
  good: "bg-good-fill text-good-on",
  soon: "bg-soon-fill text-soon-on",
  due: "bg-due-fill text-due-on",
  over: "bg-over-fill text-over-on",
};

const marks: Record<Severity, string> = {
  none: "text-muted",
  good: "text-good-mark",
  soon: "text-soon-mark",
  due: "text-due-mark",
  over: "text-over-mark",
};

/** Icon, text and weight, so that the meaning does not depend on color. */
export function StatusBadge({ severity, children }: { severity: Severity; children: ReactNode }) {
  const Icon = icons[severity];
  return (
    <span
      className={clsx(
        "inline-flex items-center gap-1.5 rounded-full py-1 pr-2.5 pl-2 text-sm font-semibold whitespace-nowrap",
        "print:border print:border-ink print:bg-transparent print:text-ink",
        fills[severity],
      )}
    >
      <Icon aria-hidden className="size-4 shrink-0" />
      {children}
    </span>
  );
}

/** The icon alone, for use beside the status text. */
export function StatusIcon({ severity }: { severity: Severity }) {
  const Icon = icons[severity];
  return <Icon aria-hidden className={clsx("size-4 shrink-0", marks[severity])} />;
}
