import { clsx } from "clsx";
import { Check } from "lucide-react";
import type { ComponentPropsWithRef } from "react";

type Props = Omit<ComponentPropsWithRef<"input">, "type" | "role">;

/** A native checkbox. Give it an id and a <label htmlFor>, or use CheckboxField. */
export function Checkbox({ className, ...rest }: Props) {
  return (
    <span className={clsx("relative inline-grid size-6 shrink-0 place-items-center", className)}>
      <input
        {...rest}
        type="checkbox"
        className="peer size-5 appearance-none rounded-[4px] border border-control-line bg-raised transition-colors checked:border-accent checked:bg-accent"
      />
      <Check
        aria-hidden
        strokeWidth={3}
        className="pointer-events-none absolute size-4 text-accent-on opacity-0 peer-checked:opacity-100"
      />
    </span>
  );
}

/** For settings that take effect immediately, without Save. */
export function Switch({ className, ...rest }: Props) {
  return (
    <span className={clsx("relative inline-grid h-6 w-11 shrink-0", className)}>
      <input
        {...rest}
        type="checkbox"
        role="switch"
        className="peer h-6 w-11 appearance-none rounded-full border border-control-line bg-sunken transition-colors checked:border-accent checked:bg-accent"
      />
      <span
        aria-hidden
        className="pointer-events-none absolute top-1 left-1 size-4 rounded-full bg-control-line transition-transform duration-150 peer-checked:translate-x-5 peer-checked:bg-accent-on"
      />
    </span>
  );
}
