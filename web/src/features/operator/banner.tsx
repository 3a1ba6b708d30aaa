import type { ReactNode } from "react";

/** A line about this phone above the form. */
export function Banner({
  icon,
  action,
  children,
}: {
  icon: ReactNode;
  action?: ReactNode;
  children: ReactNode;
}) {
  return (
    <div className="flex items-center gap-3 rounded-(--control-radius) border border-line bg-sunken px-3.5 py-2">
      <p className="flex min-w-0 flex-1 gap-2.5 text-sm">
        {icon}
        <span className="min-w-0">{children}</span>
      </p>
      {action}
    </div>
  );
}
