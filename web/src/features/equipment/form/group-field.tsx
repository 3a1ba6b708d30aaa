import { useId, type ReactNode } from "react";
import type { FieldPath, FieldValues } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { TextField } from "#/shared/form/fields/text-field";
import type { FieldProps } from "#/shared/form/use-field";
import { useGroups } from "../table/use-groups";

/** A group, with those of the company as suggestions. */
export function GroupField<Values extends FieldValues>({
  control,
  name,
  hint,
}: {
  control: FieldProps<Values>["control"];
  name: FieldPath<Values>;
  hint?: ReactNode;
}) {
  const { t } = useTranslation();
  const groups = useGroups();
  const id = useId();
  return (
    <div>
      <TextField
        control={control}
        name={name}
        label={t("equipment-form.fields.group")}
        placeholder={t("equipment-list.group.example")}
        hint={hint}
        optional
        maxLength={60}
        list={id}
      />
      <datalist id={id}>
        {groups.map((group) => (
          <option key={group}>{group}</option>
        ))}
      </datalist>
    </div>
  );
}
