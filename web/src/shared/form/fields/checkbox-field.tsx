import type { FieldValues } from "react-hook-form";
import { CheckboxInput } from "../inputs/checkbox-input";
import { useField, type FieldProps } from "../use-field";

export function CheckboxField<Values extends FieldValues>({
  control,
  name,
  label,
  hint,
  onChange,
}: FieldProps<Values> & {
  /** Called after the choice changed. */
  onChange?: (checked: boolean) => void;
}) {
  const { field, error } = useField({ control, name, label, hint });
  const { value, onChange: store, ...input } = field;
  return (
    <CheckboxInput
      {...input}
      label={label}
      hint={hint}
      error={error}
      checked={value === true}
      onChange={(event) => {
        store(event.target.checked);
        onChange?.(event.target.checked);
      }}
    />
  );
}
