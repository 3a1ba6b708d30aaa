import { useWatch, type UseFormReturn } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { useFormat } from "#/shared/format/use-format";
import { Button } from "#/shared/ui/button";
import type { EquipmentValues } from "./schema";

/** Usual service intervals by unit. */
const usual: Partial<Record<string, readonly number[]>> = {
  hours: [50, 100, 250, 500],
  miles: [3_000, 5_000, 7_500, 10_000],
  kilometers: [5_000, 10_000, 15_000, 20_000],
};

/** Fills in a usual service interval with one press. */
export function IntervalChips({ form }: { form: UseFormReturn<EquipmentValues> }) {
  const { t } = useTranslation();
  const format = useFormat();
  const [unit, interval] = useWatch({
    control: form.control,
    name: ["unit", "serviceInterval"],
  });
  const choices = usual[unit];
  if (!choices) return null;
  return (
    <div role="group" aria-label={t("equipment-form.usualIntervals")} className="mt-2 flex gap-1.5">
      {choices.map((choice) => (
        <Button
          key={choice}
          size="small"
          aria-pressed={interval === String(choice)}
          className="aria-pressed:border-accent aria-pressed:bg-accent-soft"
          onClick={() =>
            form.setValue("serviceInterval", String(choice), {
              shouldDirty: true,
              shouldValidate: true,
            })
          }
        >
          {format.number(choice)}
        </Button>
      ))}
    </div>
  );
}
