import type { ReactNode } from "react";

/** An empty state: nothing yet, with a first action, or no match, with Clear filters. */
export function Empty({
  icon,
  title,
  description,
  action,
}: {
  icon?: ReactNode;
  title: ReactNode;
  description?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="flex flex-col items-center gap-2 px-4 py-12 text-center">
      {icon != null && <div className="mb-1 text-muted [&>svg]:size-8">{icon}</div>}
      <p className="text-lg font-semibold">{title}</p>
      {description != null && <p className="max-w-prose text-muted">{description}</p>}
      {action != null && <div className="mt-3 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  );
}
