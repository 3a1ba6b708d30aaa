import { clsx } from "clsx";
import type { ReactNode } from "react";

export function Card({
  id,
  title,
  description,
  actions,
  flush = false,
  className,
  children,
}: {
  /** Makes it a link target: focusable and labeled by its title. */
  id?: string | undefined;
  title?: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
  /** No padding around the body, for tables and lists. */
  flush?: boolean;
  className?: string;
  children?: ReactNode;
}) {
  const titleId = id && `${id}-title`;
  return (
    <section
      {...(id && { id, tabIndex: -1, "aria-labelledby": titleId })}
      className={clsx("rounded-card border border-line bg-raised", id && "scroll-mt-20", className)}
    >
      {(title ?? actions) != null && (
        <header className="flex flex-wrap items-start justify-between gap-3 px-4 pt-4 md:px-5">
          <div className="min-w-0 flex-1 basis-48">
            <h2 id={titleId} className="text-lg font-semibold">
              {title}
            </h2>
            {description != null && <p className="mt-0.5 text-sm text-muted">{description}</p>}
          </div>
          {actions != null && <div className="flex flex-wrap gap-2">{actions}</div>}
        </header>
      )}
      <div className={flush ? "mt-4 first:mt-0" : "p-4 md:p-5"}>{children}</div>
    </section>
  );
}
