import type { FieldValues } from "react-hook-form";
import { UnitInput } from "#/shared/ui/unit-input";
import { FieldFrame } from "../field-frame";
import { useField, type FieldProps } from "../use-field";

/**
 * The value is the typed text; `parseDecimal` parses it on submit. A text input with a decimal
 * keypad, because number inputs drop invalid text and change by mouse wheel.
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
  /** Ignores anything but digits. */
  digitsOnly?: boolean;
  placeholder?: string;
}) {
  const { field, text, error, aria } = useField(props);
  return (
    <FieldFrame {...props} id={aria.id} error={error}>
      <UnitInput
        {...aria}
        {...field}
        value={text}
        onChange={(event) =>
          field.onChange(digitsOnly ? event.target.value.replaceAll(/\D/g, "") : event.target.value)
        }
        inputMode={whole ? "numeric" : "decimal"}
        placeholder={placeholder}
        unit={unit}
      />
    </FieldFrame>
  );
}
