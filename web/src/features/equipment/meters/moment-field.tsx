import type { FieldValues } from "react-hook-form";
import { FieldFrame, inputClass } from "#/shared/form/field-frame";
import { dateInput } from "#/shared/form/fields/date-input";
import { useField, type FieldProps } from "#/shared/form/use-field";

/** A local date and time with the native picker; empty or `2026-11-20T16:10`. */
export function MomentField<Values extends FieldValues>({
  max,
  ...props
}: FieldProps<Values> & { max: string }) {
  const { field, text, error, aria } = useField(props);
  return (
    <FieldFrame {...props} id={aria.id} error={error}>
      <input
        {...aria}
        {...dateInput({ field, text })}
        type="datetime-local"
        min="2000-01-01T00:00"
        max={max}
        className={inputClass}
      />
    </FieldFrame>
  );
}
