import type { ReactNode } from "react";
import type { Control, FieldPath, FieldValues } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { NumberField } from "#/shared/form/fields/number-field";
import { SelectField } from "#/shared/form/fields/select-field";
import type { RuleValues } from "./rule-schema";

/** Folded away, unless something in it is set or wrong. */
export function MoreOptions({ open, children }: { open: boolean; children: ReactNode }) {
  const { t } = useTranslation();
  return (
    <details open={open} className="rounded-card border border-line px-3 py-2">
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
  return (
    <SelectField
      control={control}
      name={name}
      label={t("equipment-detail.rules.basis")}
      hint={t("equipment-detail.rules.basisHint")}
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
    <div className="grid grid-cols-2 items-start gap-4 sm:grid-cols-3">
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
