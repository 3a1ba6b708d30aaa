import { clsx } from "clsx";
import type { ComponentProps } from "react";
import { inputClass } from "./input-class";

export function UnitInput({
  unit,
  className,
  ...input
}: ComponentProps<"input"> & { unit?: string | undefined }) {
  return (
    <div className="relative">
      <input
        inputMode="decimal"
        autoComplete="off"
        {...input}
        className={clsx(inputClass, unit && "pr-24", className)}
      />
      {unit && (
        <span
          aria-hidden
          className="pointer-events-none absolute inset-y-0 right-0 grid place-items-center px-3 text-muted"
        >
          {unit}
        </span>
      )}
    </div>
  );
}
