import { clsx } from "clsx";
import type { FieldValues } from "react-hook-form";
import { FieldFrame, inputClass, useField, type FieldProps } from "../field-frame";

/**
 * The value stays the typed text; `parseDecimal` reads it on submit. A text input with a decimal
 * keypad, because number inputs drop what they can't read and change by mouse wheel.
 */
export function NumberField<Values extends FieldValues>({
  unit,
  whole = false,
  digitsOnly = false,
  placeholder,
  ...props
}: FieldProps<Values> & {
  unit?: string;
  whole?: boolean;
  /** Anything but a digit is not taken in. */
  digitsOnly?: boolean;
  placeholder?: string;
}) {
  const { field, text, error, aria } = useField(props);
  return (
    <FieldFrame {...props} id={aria.id} error={error}>
      <div className="relative">
        <input
          {...aria}
          {...field}
          value={text}
          onChange={(event) =>
            field.onChange(
              digitsOnly ? event.target.value.replaceAll(/\D/g, "") : event.target.value,
            )
          }
          inputMode={whole ? "numeric" : "decimal"}
          autoComplete="off"
          placeholder={placeholder}
          className={clsx(inputClass, unit && "pr-24")}
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
    </FieldFrame>
  );
}
