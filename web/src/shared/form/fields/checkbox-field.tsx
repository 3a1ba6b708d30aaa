import type { FieldValues } from "react-hook-form";
import { Checkbox } from "#/shared/ui/toggle";
import { FieldNotes } from "../field-frame";
import { useField, type FieldProps } from "../use-field";

export function CheckboxField<Values extends FieldValues>({
  onChange,
  ...props
}: FieldProps<Values> & {
  /** For what else follows from the choice. */
  onChange?: (checked: boolean) => void;
}) {
  const { field, error, aria } = useField(props);
  const { value, onChange: store, ...input } = field;
  return (
    <div>
      <div className="flex min-h-11 items-center gap-2.5 md:min-h-8">
        <Checkbox
          {...aria}
          {...input}
          checked={value === true}
          onChange={(event) => {
            store(event.target.checked);
            onChange?.(event.target.checked);
          }}
        />
        <label htmlFor={aria.id} className="cursor-pointer py-1">
          {props.label}
        </label>
      </div>
      <FieldNotes id={aria.id} hint={props.hint} error={error} />
    </div>
  );
}
