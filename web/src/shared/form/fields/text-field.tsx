import { clsx } from "clsx";
import type { HTMLInputAutoCompleteAttribute, HTMLInputTypeAttribute } from "react";
import type { FieldValues } from "react-hook-form";
import { FieldFrame, inputClass } from "../field-frame";
import { useField, type FieldProps } from "../use-field";

export function TextField<Values extends FieldValues>({
  type = "text",
  autoComplete = "off",
  placeholder,
  mono = false,
  maxLength,
  plain = false,
  inputMode,
  ...props
}: FieldProps<Values> & {
  type?: Extract<HTMLInputTypeAttribute, "text" | "email" | "search" | "tel">;
  autoComplete?: HTMLInputAutoCompleteAttribute;
  placeholder?: string;
  /** For serials, ids and user names, where 0/O and 1/l/I must not be mistaken. */
  mono?: boolean;
  maxLength?: number;
  /** No capitals, corrections or spell check: for names that are matched exactly. */
  plain?: boolean;
  /** Which keys a phone offers. */
  inputMode?: "numeric";
}) {
  const { field, text, error, aria } = useField(props);
  return (
    <FieldFrame {...props} id={aria.id} error={error}>
      <input
        {...aria}
        {...field}
        value={text}
        type={type}
        autoComplete={autoComplete}
        placeholder={placeholder}
        maxLength={maxLength}
        inputMode={inputMode}
        {...(plain ? { autoCapitalize: "none", autoCorrect: "off", spellCheck: false } : {})}
        className={clsx(inputClass, mono && "font-mono")}
      />
    </FieldFrame>
  );
}
