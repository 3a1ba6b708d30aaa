import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";

/** One method of the second factor with its state and actions. */
export function FactorRow({
  icon: Icon,
  title,
  state,
  text,
  control,
  children,
}: {
  icon: LucideIcon;
  title: string;
  state?: ReactNode;
  text: ReactNode;
  control?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <div className="px-4 py-4 md:px-5">
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <div className="flex min-w-0 flex-1 basis-60 gap-3">
          <Icon aria-hidden className="mt-0.5 size-5 shrink-0 text-accent" />
          <div className="min-w-0">
            <h3 className="font-semibold">{title}</h3>
            <p className="mt-0.5 text-sm text-muted">
              {state != null && <span className="font-semibold text-ink">{state} </span>}
              {text}
            </p>
          </div>
        </div>
        {control != null && (
          <div className="shrink-0 max-md:w-full max-md:[&>*]:w-full">{control}</div>
        )}
      </div>
      {children}
    </div>
  );
}
