import { clsx } from "clsx";
import type { FieldValues } from "react-hook-form";
import { FieldFrame, inputClass } from "../field-frame";
import { useField, type FieldProps } from "../use-field";

export function TextAreaField<Values extends FieldValues>({
  rows = 3,
  maxLength = 5000,
  placeholder,
  ...props
}: FieldProps<Values> & { rows?: number; maxLength?: number; placeholder?: string }) {
  const { field, text, error, aria } = useField(props);
  return (
    <FieldFrame {...props} id={aria.id} error={error}>
      <textarea
        {...aria}
        {...field}
        value={text}
        rows={rows}
        maxLength={maxLength}
        placeholder={placeholder}
        className={clsx(inputClass, "py-2")}
      />
    </FieldFrame>
  );
}
