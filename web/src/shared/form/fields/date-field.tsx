import type { FieldValues } from "react-hook-form";
import { FieldFrame, inputClass } from "../field-frame";
import { useField, type FieldProps } from "../use-field";
import { dateInput } from "./date-input";

/** The platform's own date picker; the value is `YYYY-MM-DD` or empty. */
export function DateField<Values extends FieldValues>({
  min = "1900-01-01",
  max = "2200-12-31",
  ...props
}: FieldProps<Values> & { min?: string; max?: string }) {
  const { field, text, error, aria } = useField(props);
  return (
    <FieldFrame {...props} id={aria.id} error={error}>
      <input
        {...aria}
        {...dateInput({ field, text })}
        type="date"
        min={min}
        max={max}
        className={inputClass}
      />
    </FieldFrame>
  );
}
