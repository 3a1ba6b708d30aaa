import { clsx } from "clsx";
import { ChevronDown } from "lucide-react";
import type { FieldValues } from "react-hook-form";
import { FieldFrame, inputClass } from "../field-frame";
import { useField, type FieldProps } from "../use-field";

export function SelectField<Values extends FieldValues>({
  options,
  placeholder,
  onChange,
  ...props
}: FieldProps<Values> & {
  options: ReadonlyArray<{ value: string; label: string; disabled?: boolean }>;
  /** The first option, for no choice. */
  placeholder?: string;
  /** After the field has the new value. */
  onChange?: (value: string) => void;
}) {
  const { field, text, error, aria } = useField(props);
  return (
    <FieldFrame {...props} id={aria.id} error={error}>
      <div className="relative">
        <select
          {...aria}
          {...field}
          value={text}
          onChange={(event) => {
            field.onChange(event);
            onChange?.(event.target.value);
          }}
          className={clsx(inputClass, "appearance-none truncate pr-10", !text && "text-muted")}
        >
          {placeholder != null && <option value="">{placeholder}</option>}
          {options.map((option) => (
            <option key={option.value} value={option.value} disabled={option.disabled}>
              {option.label}
            </option>
          ))}
        </select>
        <ChevronDown
          aria-hidden
          className="pointer-events-none absolute top-1/2 right-3 size-4 -translate-y-1/2 text-muted"
        />
      </div>
    </FieldFrame>
  );
}
