import { clsx } from "clsx";
import { Info, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";

export function Notice({
  tone = "info",
  announced = tone === "danger",
  children,
}: {
  tone?: "info" | "danger";
  announced?: boolean;
  children: ReactNode;
}) {
  const Icon = tone === "danger" ? TriangleAlert : Info;
  return (
    <div
      role={announced ? "alert" : undefined}
      className={clsx(
        "flex gap-2.5 rounded-(--control-radius) border px-3.5 py-2.5",
        tone === "danger" ? "border-danger bg-raised text-danger" : "border-line bg-sunken",
      )}
    >
      <Icon aria-hidden className="mt-[0.2em] size-4 shrink-0" />
      <div className="min-w-0">{children}</div>
    </div>
  );
}
