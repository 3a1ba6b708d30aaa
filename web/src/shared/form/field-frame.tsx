import { clsx } from "clsx";
import { CircleAlert } from "lucide-react";
import { useId, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { inputClass } from "#/shared/ui/input-class";

/** What is shown around an input. */
export interface InputTexts {
  label: ReactNode;
  hint?: ReactNode;
  /** Adds "(optional)" to the label; fields without it are required. */
  optional?: boolean | undefined;
  error?: string | undefined;
}

/** The id of an input, and the ids of its hint and error in `FieldFrame`. */
export function useFieldAria(hint: ReactNode, error: string | undefined) {
  const id = useId();
  return {
    id,
    "aria-invalid": error ? true : undefined,
    "aria-describedby": clsx(hint != null && `${id}-hint`, error && `${id}-error`) || undefined,
  };
}

export { inputClass };

export function FieldFrame({
  id,
  label,
  hint,
  optional = false,
  error,
  children,
}: InputTexts & { id: string; children: ReactNode }) {
  const { t } = useTranslation();
  return (
    <div>
      <label htmlFor={id} className="mb-1.5 block font-semibold">
        {label}
        {optional && <span className="font-normal text-muted"> {t("common.optional")}</span>}
      </label>
      {children}
      <FieldNotes id={id} hint={hint} error={error} />
    </div>
  );
}

export function FieldNotes({
  id,
  hint,
  error,
}: {
  id: string;
  hint?: ReactNode;
  error: string | undefined;
}) {
  return (
    <>
      {hint != null && (
        <p id={`${id}-hint`} className="mt-1.5 text-sm text-muted">
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} className="mt-1.5 flex gap-1.5 text-sm font-semibold text-danger">
          <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
          <ErrorText error={error} />
        </p>
      )}
    </>
  );
}

/** An error may have a title on its first line. */
function ErrorText({ error }: { error: string }) {
  const [title, ...remedy] = error.split("\n");
  if (remedy.length === 0) return error;
  return (
    <span>
      <span className="block">{title}</span>
      <span className="block font-normal">{remedy.join(" ")}</span>
    </span>
  );
}
