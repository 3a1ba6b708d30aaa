import { clsx } from "clsx";
import { Plus } from "lucide-react";
import { useState } from "react";
import { flushSync } from "react-dom";
import { useTranslation } from "react-i18next";
import { FieldFrame, inputClass, useFieldAria } from "#/shared/form/field-frame";
import { Button } from "#/shared/ui/button";

/** A button until it is pressed, because most entries have no notes. */
export function NotesField({
  value,
  onChange,
}: {
  value: string;
  onChange: (value: string) => void;
}) {
  const { t } = useTranslation();
  const [wanted, setWanted] = useState(false);
  const aria = useFieldAria(undefined, undefined);
  if (!wanted && value === "") {
    return (
      <Button
        wide
        onClick={() => {
          flushSync(() => setWanted(true));
          const field = document.getElementById(aria.id);
          field?.focus();
          // Safari's focus ignores scroll-padding, so the Submit button covers part of the field.
          field?.scrollIntoView({ block: "nearest" });
        }}
      >
        <Plus aria-hidden className="size-5" />
        {t("operator.form.addNote")}
      </Button>
    );
  }
  return (
    <FieldFrame id={aria.id} label={t("operator.form.notes")} optional error={undefined}>
      <textarea
        id={aria.id}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        rows={3}
        // The submit button sticks to the window's bottom.
        style={{ scrollMarginBottom: "6rem" }}
        maxLength={5000}
        className={clsx(inputClass, "py-2")}
      />
    </FieldFrame>
  );
}
