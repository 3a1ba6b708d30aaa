import type { ReactNode } from "react";
import { useController, type Control, type FieldPath, type FieldValues } from "react-hook-form";
import { useMessage } from "#/i18n/key";
import { useFieldAria } from "./field-frame";

export interface FieldProps<Values extends FieldValues> {
  control: Control<Values>;
  name: FieldPath<Values>;
  label: ReactNode;
  hint?: ReactNode;
  /** Adds "(optional)" to the label; fields without it are required. */
  optional?: boolean;
}

/** The value, ids and error of a field. */
export function useField<Values extends FieldValues>({ control, name, hint }: FieldProps<Values>) {
  const { field, fieldState } = useController({ control, name });
  const message = useMessage();
  const error = fieldState.error?.message ? message(fieldState.error.message) : undefined;
  const text: string = typeof field.value === "string" ? field.value : "";
  return { field, text, error, aria: useFieldAria(hint, error) };
}
