import type { ReactNode } from "react";
import type { Control } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { key } from "#/i18n/key";
import { NumberField } from "#/shared/form/fields/number-field";
import type { EquipmentValues } from "./schema";

/** Figures in the meter's unit. */
const figures = {
  currentUsage: { label: key("equipment-form.fields.currentUsage") },
  threshold: { label: key("equipment-form.fields.threshold"), optional: true },
  serviceInterval: {
    label: key("equipment-form.fields.serviceInterval"),
    optional: true,
    whole: true,
  },
  lastServiceUsage: { label: key("equipment-form.fields.lastServiced"), optional: true },
} as const;

export function FigureField({
  name,
  unit,
  ...props
}: {
  control: Control<EquipmentValues>;
  name: keyof typeof figures;
  unit: string | undefined;
  hint?: ReactNode;
  placeholder?: string;
}) {
  const { t } = useTranslation();
  const { label, ...kind } = figures[name];
  return <NumberField {...props} {...kind} {...(unit && { unit })} name={name} label={t(label)} />;
}
