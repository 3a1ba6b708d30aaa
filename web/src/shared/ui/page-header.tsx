import { clsx } from "clsx";
import type { ReactNode } from "react";

export interface PageHeaderProps {
  title: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
  /** Beside the title on phones, where the actions have a row of their own. */
  beside?: ReactNode;
  /** Whether phones show no actions. */
  folded?: boolean;
}

/** The h1 of a page; the route announcer focuses it. */
export function PageHeader({ title, description, actions, beside, folded }: PageHeaderProps) {
  return (
    <div className="mb-5 flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
      <div className="min-w-0 flex-1 basis-48 md:basis-80">
        <h1 tabIndex={-1} className="text-title font-[650]">
          {title}
        </h1>
        {description != null && <p className="mt-1 text-muted">{description}</p>}
      </div>
      {beside}
      {actions != null && (
        <div
          className={clsx(
            "no-print flex flex-wrap gap-2 max-md:w-full max-md:[&>*]:grow",
            folded && "max-md:hidden",
          )}
        >
          {actions}
        </div>
      )}
    </div>
  );
}
