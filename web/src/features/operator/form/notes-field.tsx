import { Plus } from "lucide-react";
import { useState } from "react";
import { flushSync } from "react-dom";
import { useController, type Control } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { TextAreaField } from "#/shared/form/fields/text-area-field";
import { Button } from "#/shared/ui/button";
import type { UpdateValues } from "./schema";

/** Most entries have no note, so it takes one press to write one and no room otherwise. */
export function NotesField({
  control,
  focus,
}: {
  control: Control<UpdateValues>;
  focus: () => void;
}) {
  const { t } = useTranslation();
  const [wanted, setWanted] = useState(false);
  const { field } = useController({ control, name: "notes" });
  if (!wanted && field.value === "") {
    return (
      <Button
        wide
        onClick={() => {
          flushSync(() => setWanted(true));
          focus();
        }}
      >
        <Plus aria-hidden className="size-5" />
        {t("operator.form.addNote")}
      </Button>
    );
  }
  return (
    <TextAreaField
      control={control}
      name="notes"
      label={t("operator.form.notes")}
      optional
      rows={3}
    />
  );
}
