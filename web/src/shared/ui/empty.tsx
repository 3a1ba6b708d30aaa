import type { ReactNode } from "react";
// Inlined, it could not be referenced by `use`.
import drawings from "./drawings.svg?no-inline";

/** A symbol of `drawings.svg`, whose colors follow the theme. */
type Drawing =
  | "archive"
  | "fuel"
  | "history"
  | "log"
  | "machine"
  | "notes"
  | "people"
  | "review"
  | "service";

/** An empty state: nothing yet, with a first action, or no match, with Clear filters. */
export function Empty({
  drawing,
  icon,
  title,
  description,
  action,
}: {
  drawing?: Drawing;
  /** Instead of a drawing. */
  icon?: ReactNode;
  title: ReactNode;
  description?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="flex flex-col items-center gap-2 px-4 py-12 text-center">
      {drawing && (
        <svg aria-hidden className="mb-1 h-20 w-28 text-muted">
          <use href={`${drawings}#${drawing}`} />
        </svg>
      )}
      {icon != null && <div className="mb-1 text-muted [&>svg]:size-8">{icon}</div>}
      <p className="text-lg font-semibold">{title}</p>
      {description != null && <p className="max-w-prose text-muted">{description}</p>}
      {action != null && <div className="mt-3 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  );
}
