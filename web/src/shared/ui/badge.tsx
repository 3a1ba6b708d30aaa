import { clsx } from "clsx";
import type { ReactNode } from "react";

/** A neutral label, e.g. a role or "Premium". For service status use StatusBadge. */
export function Badge({
  tone = "neutral",
  icon,
  children,
}: {
  tone?: "neutral" | "accent";
  icon?: ReactNode;
  children: ReactNode;
}) {
  return (
    <span
      className={clsx(
        "inline-flex items-center gap-1.5 rounded-full px-2.5 py-0.5 text-xs font-semibold",
        tone === "accent" ? "bg-accent-soft text-accent" : "bg-sunken text-muted",
      )}
    >
      {icon}
      {children}
    </span>
  );
}
