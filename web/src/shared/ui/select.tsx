import { clsx } from "clsx";
import { ChevronDown } from "lucide-react";
import { inputClass } from "./input-class";

/** A native select outside forms, e.g. a filter. The empty value means "all". */
export function Select<Value extends string>({
  label,
  value,
  options,
  all,
  onChange,
}: {
  /** The accessible name. */
  label: string;
  value: Value | undefined;
  options: ReadonlyArray<{ value: Value; label: string }>;
  /** The first option, which clears the choice. */
  all: string;
  onChange: (value: Value | undefined) => void;
}) {
  return (
    <div className="relative">
      <select
        aria-label={label}
        value={value ?? ""}
        onChange={(event) =>
          onChange(options.find((option) => option.value === event.target.value)?.value)
        }
        className={clsx(inputClass, "appearance-none truncate pr-10", !value && "text-muted")}
      >
        <option value="">{all}</option>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
      <ChevronDown
        aria-hidden
        className="pointer-events-none absolute top-1/2 right-3 size-4 -translate-y-1/2 text-muted"
      />
    </div>
  );
}
