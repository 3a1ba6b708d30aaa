import type { ReactNode } from "react";

/** The h1 of a page; the route announcer focuses it. */
export function PageHeader({
  title,
  description,
  actions,
}: {
  title: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
}) {
  return (
    <div className="mb-5 flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
      <div className="min-w-0 md:flex-1 md:basis-80">
        <h1 tabIndex={-1} className="text-title font-[650]">
          {title}
        </h1>
        {description != null && <p className="mt-1 text-muted">{description}</p>}
      </div>
      {actions != null && (
        <div className="no-print flex flex-wrap gap-2 max-md:w-full max-md:[&>*]:grow">
          {actions}
        </div>
      )}
    </div>
  );
}
