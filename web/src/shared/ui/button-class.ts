import { clsx } from "clsx";

type Variant = "primary" | "secondary" | "quiet" | "danger";
type Size = "normal" | "small" | "large";

export interface ButtonLook {
  variant?: Variant | undefined;
  size?: Size | undefined;
  /** Square, for an icon only; needs an `aria-label`. */
  icon?: boolean | undefined;
  wide?: boolean | undefined;
}

const variants: Record<Variant, string> = {
  primary: "bg-accent text-accent-on hover:bg-accent-hover border-transparent",
  secondary: "bg-raised text-ink border-control-line hover:bg-sunken",
  quiet: "bg-transparent text-ink border-transparent hover:bg-sunken",
  danger: "bg-raised text-danger border-danger hover:bg-sunken",
};

const sizes: Record<Size, string> = {
  normal: "h-(--control) min-h-(--control)",
  small: "h-11 desk:h-8 text-sm",
  large: "h-14 text-md",
};

/** The classes of a button, for pages without the component. */
export function buttonClass({
  variant = "secondary",
  size = "normal",
  icon,
  wide,
}: ButtonLook = {}) {
  return clsx(
    "inline-flex items-center justify-center gap-2 rounded-(--control-radius) border font-semibold",
    "text-center leading-tight no-underline transition-colors duration-150 select-none",
    "aria-disabled:cursor-not-allowed aria-disabled:opacity-60 disabled:opacity-60",
    variants[variant],
    sizes[size],
    icon ? "aspect-square shrink-0 p-0" : size === "small" ? "px-3" : "px-4",
    wide && "w-full",
  );
}
