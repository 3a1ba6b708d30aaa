import type { LucideIcon } from "lucide-react";
import { useId, type ReactNode } from "react";

/** A setting above the list: its title, its state and the buttons that change it. */
export function SettingRow({
  icon: Icon,
  title,
  text,
  children,
}: {
  icon: LucideIcon;
  title: string;
  text: ReactNode;
  children?: ReactNode;
}) {
  const titleId = useId();
  return (
    <section
      aria-labelledby={titleId}
      className="no-print flex flex-wrap items-center gap-3 rounded-card border border-line bg-raised px-4 py-3"
    >
      <Icon aria-hidden className="size-5 shrink-0 self-start text-muted" />
      <div className="min-w-0 flex-1 basis-56">
        <h2 id={titleId} className="font-semibold">
          {title}
        </h2>
        <p role="status" className="text-sm wrap-anywhere text-muted">
          {text}
        </p>
      </div>
      <div className="flex flex-wrap gap-2 empty:hidden">{children}</div>
    </section>
  );
}
