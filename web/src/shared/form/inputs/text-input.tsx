import { clsx } from "clsx";
import type { ComponentProps } from "react";
import { FieldFrame, inputClass, useFieldAria, type InputTexts } from "../field-frame";

export interface TextInputLook {
  /** Monospaced, for serials, ids and usernames. */
  mono?: boolean;
  /** Disables capitalization, correction and spell check, for exact names. */
  plain?: boolean;
}

/** A labelled text input with its hint and error, for any kind of form. */
export function TextInput({
  label,
  hint,
  optional,
  error,
  mono = false,
  plain = false,
  className,
  ...input
}: InputTexts & TextInputLook & ComponentProps<"input">) {
  const aria = useFieldAria(hint, error);
  return (
    <FieldFrame id={aria.id} label={label} hint={hint} optional={optional} error={error}>
      <input
        type="text"
        autoComplete="off"
        {...(plain ? { autoCapitalize: "none", autoCorrect: "off", spellCheck: false } : {})}
        {...input}
        {...aria}
        className={clsx(inputClass, mono && "font-mono", className)}
      />
    </FieldFrame>
  );
}
