import { clsx } from "clsx";
import { Eye, EyeOff } from "lucide-react";
import { useState, type ComponentProps } from "react";
import { useTranslation } from "react-i18next";
import { FieldFrame, inputClass, useFieldAria, type InputTexts } from "../field-frame";

export function PasswordInput({
  label,
  hint,
  optional,
  error,
  ...input
}: InputTexts & Omit<ComponentProps<"input">, "type" | "className">) {
  const { t } = useTranslation();
  const aria = useFieldAria(hint, error);
  const [shown, setShown] = useState(false);
  const Icon = shown ? EyeOff : Eye;
  return (
    <FieldFrame id={aria.id} label={label} hint={hint} optional={optional} error={error}>
      <div className="relative">
        <input
          {...input}
          {...aria}
          type={shown ? "text" : "password"}
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
