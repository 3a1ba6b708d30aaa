import type { HTMLInputAutoCompleteAttribute, HTMLInputTypeAttribute } from "react";
import type { FieldValues } from "react-hook-form";
import { TextInput, type TextInputLook } from "../inputs/text-input";
import { useField, type FieldProps } from "../use-field";

export function TextField<Values extends FieldValues>({
  control,
  ...props
}: FieldProps<Values> &
  TextInputLook & {
    type?: Extract<HTMLInputTypeAttribute, "text" | "email" | "search" | "tel" | "time">;
    autoComplete?: HTMLInputAutoCompleteAttribute;
    placeholder?: string;
    maxLength?: number;
    inputMode?: "numeric" | "tel";
    /** The id of a `datalist` with suggestions. */
    list?: string;
  }) {
  const { field, text, error } = useField({ control, ...props });
  return <TextInput {...props} {...field} value={text} error={error} />;
}
