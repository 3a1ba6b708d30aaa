import { clsx } from "clsx";
import { Search } from "lucide-react";
import { inputClass } from "./input-class";

export function SearchInput({
  label,
  value,
  onChange,
}: {
  /** The placeholder and the accessible name. */
  label: string;
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <div className="relative">
      <Search
        aria-hidden
        className="pointer-events-none absolute top-1/2 left-3 size-4 -translate-y-1/2 text-muted"
      />
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        maxLength={100}
        autoComplete="off"
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className={clsx(inputClass, "truncate pl-9")}
      />
    </div>
  );
}
