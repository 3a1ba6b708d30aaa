import type { Severity } from "#/shared/ui/status-badge";
import { UsageBar } from "#/shared/ui/usage-bar";

export function ServiceBar({ percent, severity }: { percent: number; severity: Severity }) {
  return (
    <div className="max-w-72 *:w-full!">
      <UsageBar percent={percent} severity={severity} />
    </div>
  );
}

/** A bar that is not about service, so it does not use the status colors. */
export function WideBar({ percent }: { percent: number }) {
  const filled = Math.min(100, Math.max(0, percent));
  return (
    <div aria-hidden className="h-1.5 max-w-72 overflow-hidden rounded-full bg-sunken">
      <div className="h-full rounded-full bg-muted" style={{ width: `${filled}%` }} />
    </div>
  );
}
