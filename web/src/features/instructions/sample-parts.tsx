import { clsx } from "clsx";
import type { ReactNode } from "react";
import { Button } from "#/shared/ui/button";
import { inputClass } from "#/shared/ui/input-class";

/**
 * A drawn piece of the product, made of the product's own parts. Nothing in it can be pressed and
 * assistive technology reads only the caption, because the text around it says the same. Its
 * colours go to paper too: a white word on a button would be gone without the fill behind it.
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

/** A filled field with its label; no real one, so that no password manager takes an interest. */
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
