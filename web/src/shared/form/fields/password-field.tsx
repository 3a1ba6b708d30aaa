import type { FieldValues } from "react-hook-form";
import { PasswordInput } from "../inputs/password-input";
import { useField, type FieldProps } from "../use-field";

export function PasswordField<Values extends FieldValues>({
  control,
  ...props
}: FieldProps<Values> & {
  autoComplete: "current-password" | "new-password" | "off";
  inputMode?: "numeric";
}) {
  const { field, text, error } = useField({ control, ...props });
  return <PasswordInput {...props} {...field} value={text} error={error} />;
}
