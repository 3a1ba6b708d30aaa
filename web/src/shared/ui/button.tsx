import { clsx } from "clsx";
import { LoaderCircle } from "lucide-react";
import { Slot } from "radix-ui";
import { useId, type ComponentPropsWithRef, type MouseEvent, type ReactNode } from "react";
import { Tooltip } from "./tooltip";

type Variant = "primary" | "secondary" | "quiet" | "danger";
type Size = "normal" | "small" | "large";

interface Look {
  variant?: Variant | undefined;
  size?: Size | undefined;
  /** Square, for an icon alone; then `aria-label` is needed. */
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
  small: "h-11 md:h-8 text-sm",
  large: "h-14 text-md",
};

function buttonClass({ variant = "secondary", size = "normal", icon, wide }: Look = {}) {
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

type ButtonProps = Look &
  Omit<ComponentPropsWithRef<"button">, "disabled"> & {
    /** Shown instead of the children while the action runs; the button stays focusable. */
    pending?: boolean | undefined;
    pendingLabel?: ReactNode;
    /** Why the button can't be pressed now. A disabled button without a reason helps no one. */
    disabledReason?: string | undefined;
    /** Renders the only child (a link) with the look of a button. */
    asChild?: boolean | undefined;
  };

export function Button(props: ButtonProps) {
  const {
    variant,
    size,
    icon,
    wide,
    pending = false,
    pendingLabel,
    disabledReason,
    asChild,
    className,
    children,
    onClick,
    type = "button",
    ...rest
  } = props;
  const reasonId = useId();
  const look = clsx(buttonClass({ variant, size, icon, wide }), className);
  if (asChild) {
    return (
      <Slot.Root className={look} {...rest}>
        {children}
      </Slot.Root>
    );
  }
  const blocked = pending || disabledReason !== undefined;
  const press = (event: MouseEvent<HTMLButtonElement>) => {
    if (blocked) event.preventDefault();
    else onClick?.(event);
  };
  const button = (
    <button
      {...rest}
      type={type}
      className={look}
      onClick={press}
      aria-disabled={blocked || undefined}
      aria-busy={pending || undefined}
      aria-describedby={disabledReason ? reasonId : rest["aria-describedby"]}
    >
      {pending && <LoaderCircle aria-hidden className="size-4 animate-spin" />}
      {pending ? (pendingLabel ?? children) : children}
    </button>
  );
  // One that can be blocked keeps its place in the tree, and with it the focus, when it is.
  if (!("disabledReason" in props)) return button;
  return (
    <>
      <Tooltip text={disabledReason}>{button}</Tooltip>
      {disabledReason !== undefined && (
        <span id={reasonId} className="sr-only">
          {disabledReason}
        </span>
      )}
    </>
  );
}
