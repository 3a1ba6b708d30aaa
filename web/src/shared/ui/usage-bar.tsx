import { clsx } from "clsx";
import type { Severity } from "./status-badge";

const marks: Record<Severity, string> = {
  none: "bg-line",
  good: "bg-good-mark",
  soon: "bg-soon-mark",
  due: "bg-due-mark",
  over: "bg-over-mark",
};

/** Hidden from assistive technology, because text beside it says the same. */
export function UsageBar({ percent, severity }: { percent: number; severity: Severity }) {
  const filled = Math.min(100, Math.max(0, percent));
  return (
    <div aria-hidden className="h-1.5 w-16 max-w-full overflow-hidden rounded-full bg-sunken">
      <div
        className={clsx("h-full rounded-full", marks[severity])}
        style={{ width: `${filled}%` }}
      />
    </div>
  );
}
