import type { ComponentProps } from "react";
import { Checkbox } from "#/shared/ui/toggle";
import { FieldNotes, useFieldAria, type InputTexts } from "../field-frame";

/** A checkbox with its label beside it, for any kind of form. */
export function CheckboxInput({
  label,
  hint,
  error,
  ...input
}: Omit<InputTexts, "optional"> & ComponentProps<typeof Checkbox>) {
  const aria = useFieldAria(hint, error);
  return (
    <div>
      <div className="flex min-h-11 items-center gap-2.5 desk:min-h-8">
        <Checkbox {...input} {...aria} />
        <label htmlFor={aria.id} className="cursor-pointer py-1">
          {label}
        </label>
      </div>
      <FieldNotes id={aria.id} hint={hint} error={error} />
    </div>
  );
}
