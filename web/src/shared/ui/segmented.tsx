import { clsx } from "clsx";
import { useId, type ReactNode } from "react";

/** Exclusive choices side by side; native radio buttons, so arrow keys work. */
export function Segmented<Value extends string>({
  label,
  hideLabel = false,
  value,
  options,
  onChange,
  compact = false,
}: {
  label: string;
  hideLabel?: boolean;
  value: Value;
  options: ReadonlyArray<{ value: Value; label: ReactNode }>;
  /** Without it, the control is uncontrolled and `value` is the initial choice. */
  onChange?: (value: Value) => void;
  compact?: boolean;
}) {
  const name = useId();
  return (
    <fieldset className="min-w-0">
      <legend className={hideLabel ? "sr-only" : "mb-1.5 font-semibold"}>{label}</legend>
      <div
        className={clsx(
          "gap-px overflow-hidden rounded-(--control-radius) border border-control-line bg-control-line",
          // Five choices have two rows on phones.
          options.length > 4 ? "flex flex-wrap" : "grid auto-cols-fr grid-flow-col",
          "has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent",
        )}
      >
        {options.map((option) => (
          <label
            key={option.value}
            className={clsx(
              "flex grow cursor-pointer items-center justify-center bg-raised px-3 text-center leading-tight font-semibold",
              "transition-colors hover:bg-sunken has-checked:bg-accent has-checked:text-accent-on",
              compact ? "min-h-11 text-sm desk:min-h-9" : "min-h-(--control)",
            )}
          >
            <input
              type="radio"
              name={name}
              value={option.value}
              {...(onChange
                ? { checked: option.value === value, onChange: () => onChange(option.value) }
                : { defaultChecked: option.value === value })}
              className="sr-only"
            />
            {option.label}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
