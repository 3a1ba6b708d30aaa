import type { SyntheticEvent } from "react";
import type { FieldPath, FieldValues, UseControllerReturn } from "react-hook-form";

/** The value of a half-typed date, which the browser reports as empty. No schema accepts it. */
const incomplete = "incomplete";

/** The properties of a native date input that keeps a half-typed date from being saved as none. */
export function dateInput<Values extends FieldValues>({
  field,
  text,
}: {
  field: UseControllerReturn<Values, FieldPath<Values>>["field"];
  text: string;
}) {
  const check = ({ currentTarget }: SyntheticEvent<HTMLInputElement>) => {
    const typed = currentTarget.validity.badInput ? incomplete : currentTarget.value;
    if (typed !== text) field.onChange(typed);
  };
  return {
    ...field,
    // The input keeps what was typed while its value stays empty.
    value: text === incomplete ? "" : text,
    onKeyUp: check,
    onBlur: (event: SyntheticEvent<HTMLInputElement>) => {
      check(event);
      field.onBlur();
    },
  };
}
