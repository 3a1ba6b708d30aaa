import { clsx } from "clsx";
import { useEffect } from "react";
import type { FieldValues } from "react-hook-form";
import { FieldFrame, inputClass } from "#/shared/form/field-frame";
import { useField, type FieldProps } from "#/shared/form/use-field";

/**
 * The six digits of an authenticator: number keys on a phone, and the device may fill it in. It
 * appears when the server asks for it, and takes the focus then.
 */
export function CodeField<Values extends FieldValues>(props: FieldProps<Values>) {
  const { field, text, error, aria } = useField(props);
  useEffect(() => document.getElementById(aria.id)?.focus(), [aria.id]);
  return (
    <FieldFrame {...props} id={aria.id} error={error}>
      <input
        {...aria}
        {...field}
        value={text}
        type="text"
        inputMode="numeric"
        autoComplete="one-time-code"
        // Some apps show the code in two groups, and it is copied with the space.
        maxLength={9}
        className={clsx(inputClass, "font-mono text-lg tracking-[0.3em]")}
      />
    </FieldFrame>
  );
}
