import { clsx } from "clsx";
import { Eye, EyeOff } from "lucide-react";
import { useState } from "react";
import type { FieldValues } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { FieldFrame, inputClass } from "../field-frame";
import { useField, type FieldProps } from "../use-field";

/** Paste and password managers work; the eye shows what was typed. */
export function PasswordField<Values extends FieldValues>({
  autoComplete,
  ...props
}: FieldProps<Values> & { autoComplete: "current-password" | "new-password" | "off" }) {
  const { t } = useTranslation();
  const { field, text, error, aria } = useField(props);
  const [shown, setShown] = useState(false);
  const Icon = shown ? EyeOff : Eye;
  return (
    <FieldFrame {...props} id={aria.id} error={error}>
      <div className="relative">
        <input
          {...aria}
          {...field}
          value={text}
          type={shown ? "text" : "password"}
          autoComplete={autoComplete}
          autoCapitalize="none"
          spellCheck={false}
          className={clsx(inputClass, "pr-12", shown && "font-mono")}
        />
        <button
          type="button"
          aria-pressed={shown}
          aria-label={shown ? t("common.hidePassword") : t("common.showPassword")}
          onClick={() => setShown(!shown)}
          className="absolute inset-y-0 right-0 grid w-12 place-items-center rounded-(--control-radius) text-muted hover:text-ink"
        >
          <Icon aria-hidden className="size-5" />
        </button>
      </div>
    </FieldFrame>
  );
}
