import { useState, type ReactNode } from "react";
import {
  useFormState,
  useWatch,
  type Control,
  type FieldPath,
  type FieldValues,
} from "react-hook-form";
import { useTranslation } from "react-i18next";
import { NumberField } from "#/shared/form/fields/number-field";
import { SelectField } from "#/shared/form/fields/select-field";
import type { RuleValues } from "./rule-schema";

/** Folded away at first, unless something in it is set. A new error, or a submit with one, unfolds it. */
export function MoreOptions<Values extends FieldValues>({
  control,
  isSet,
  isWrong,
  children,
}: {
  control: Control<Values>;
  isSet: boolean;
  isWrong: boolean;
  children: ReactNode;
}) {
  const { t } = useTranslation();
  const { submitCount } = useFormState({ control });
  const [open, setOpen] = useState(isSet);
  const wrongAt = isWrong ? submitCount : null;
  const [shownWrongAt, setShownWrongAt] = useState<number | null>(null);
  if (wrongAt !== shownWrongAt) {
    setShownWrongAt(wrongAt);
    if (wrongAt !== null) setOpen(true);
  }
  return (
    <details
      open={open}
      onToggle={(event) => setOpen(event.currentTarget.open)}
      className="rounded-card border border-line px-3 py-2"
    >
      <summary className="w-fit rounded-control py-1 font-semibold text-accent">
        {t("equipment-detail.rules.more")}
      </summary>
      <div className="mt-2 space-y-4 pb-2">{children}</div>
    </details>
  );
}

export function BasisField<Values extends FieldValues>({
  control,
  name,
}: {
  control: Control<Values>;
  name: FieldPath<Values>;
}) {
  const { t } = useTranslation();
  const onTheMark = useWatch({ control, name }) === "on_the_mark";
  return (
    <SelectField
      control={control}
      name={name}
      label={t("equipment-detail.rules.basis")}
      hint={
        onTheMark
          ? t("equipment-detail.rules.onTheMarkHint")
          : t("equipment-detail.rules.lastDoneHint")
      }
      options={[
        { value: "last_done", label: t("equipment-detail.rules.lastDone") },
        { value: "on_the_mark", label: t("equipment-detail.rules.onTheMark") },
      ]}
    />
  );
}

export function WarningFields<Values extends FieldValues>({
  control,
  names,
  unit,
}: {
  control: Control<Values>;
  names: Record<Exclude<keyof RuleValues, "basis">, FieldPath<Values>>;
  /** The meter's unit. */
  unit: string;
}) {
  const { t } = useTranslation();
  return (
    <div className="grid items-start gap-4 sm:grid-cols-2">
      <NumberField
        control={control}
        name={names.warning}
        label={t("equipment-detail.rules.warning")}
        placeholder="20"
        optional
      />
      <SelectField
        control={control}
        name={names.warningUnit}
        label={t("equipment-detail.rules.warningUnit")}
        options={[
          { value: "percent", label: t("equipment-detail.rules.percent") },
          { value: "usage", label: unit },
        ]}
      />
      <NumberField
        control={control}
        name={names.warningDays}
        label={t("equipment-detail.rules.warningDays")}
        placeholder="7"
        optional
        whole
        digitsOnly
      />
    </div>
  );
}
