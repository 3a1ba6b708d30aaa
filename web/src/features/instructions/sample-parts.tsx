import { clsx } from "clsx";
import type { ReactNode } from "react";
import { Button } from "#/shared/ui/button";
import { inputClass } from "#/shared/ui/input-class";

/**
 * An illustration made of the product's components. It is inert, and assistive technology reads
 * only the caption. Its background colors are printed, because white text needs them.
 */
export function Sample({
  caption,
  narrow = false,
  children,
}: {
  caption: string;
  /** As wide as a phone. */
  narrow?: boolean;
  children: ReactNode;
}) {
  return (
    <figure
      className={clsx("my-4 break-inside-avoid [print-color-adjust:exact]", narrow && "max-w-sm")}
    >
      <div aria-hidden inert className="select-none">
        {children}
      </div>
      <figcaption className="mt-2 text-sm text-muted">{caption}</figcaption>
    </figure>
  );
}

export function SampleSheet({ className, children }: { className?: string; children: ReactNode }) {
  return (
    <div className={clsx("min-w-0 rounded-card border border-line bg-raised", className)}>
      {children}
    </div>
  );
}

/** Not a real input, so that password managers ignore it. */
export function SampleField({
  label,
  value,
  hint,
  mono = false,
}: {
  label: string;
  value: string;
  hint?: string;
  mono?: boolean;
}) {
  return (
    <div className="min-w-0">
      <p className="mb-1 text-sm font-semibold">{label}</p>
      <p className={clsx(inputClass, "flex items-center truncate", mono && "font-mono")}>{value}</p>
      {hint && <p className="mt-1 text-sm text-muted">{hint}</p>}
    </div>
  );
}

/** Looks like the button it represents. */
export function SampleButton({
  primary = false,
  wide = false,
  small = false,
  children,
}: {
  primary?: boolean;
  wide?: boolean;
  small?: boolean;
  children: string;
}) {
  return (
    <Button
      asChild
      wide={wide}
      size={small ? "small" : "normal"}
      variant={primary ? "primary" : "secondary"}
    >
      <span>{children}</span>
    </Button>
  );
}
