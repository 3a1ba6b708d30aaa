import type { Control, UseFormReturn } from "react-hook-form";
import { useTranslation } from "react-i18next";
import type { Equipment, ServiceTask } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { unitWord } from "#/domain/equipment-wire";
import { FieldFrame } from "#/shared/form/field-frame";
import { DateField } from "#/shared/form/fields/date-field";
import { NumberField } from "#/shared/form/fields/number-field";
import { TextAreaField } from "#/shared/form/fields/text-area-field";
import { useField } from "#/shared/form/use-field";
import { UnitInput } from "#/shared/ui/unit-input";
import { useCompanyDay } from "#/shared/use-company-day";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { useFirstReadingAfter, useFirstReadingText } from "./first-reading";
import { NextServices } from "./next-services";
import type { ServiceValues } from "./service-schema";
import { useAroundText, useMetersAround } from "./use-meters-around";

/** The day of a service, the meter on that day, cost and notes, and when the tasks are due next. */
export function ServiceFields({
  form,
  seen,
  tasks,
}: {
  form: UseFormReturn<ServiceValues>;
  seen: Equipment;
  tasks: readonly ServiceTask[];
}) {
  const { t } = useTranslation();
  const today = useCompanyDay();
  const { control } = form;
  const day = form.watch("performedAt") || today;
  const { preset, hint } = useMeterOn(seen, day);
  return (
    <>
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <DateField
          control={control}
          name="performedAt"
          label={t("equipment-dialogs.serviced.date")}
          max={today}
        />
        {unitWord(seen.unit) !== "n/a" && (
          <MeterField control={control} seen={seen} preset={preset} hint={hint} />
        )}
        <NumberField
          control={control}
          name="cost"
          label={t("equipment-dialogs.serviced.cost")}
          optional
          unit="USD"
        />
      </div>
      <TextAreaField
        control={control}
        name="notes"
        label={t("equipment-dialogs.serviced.notes")}
        optional
        rows={2}
      />
      <NextServices control={control} seen={seen} tasks={tasks} day={day} preset={preset} />
    </>
  );
}

/** What the meter showed on a day, as far as it is known, and what was read around that day. */
function useMeterOn(seen: Equipment, day: string): { preset: number | undefined; hint: string } {
  const { t } = useTranslation();
  const isPast = day < useCompanyDay();
  const around = useMetersAround(seen, day);
  const aroundText = useAroundText();
  const first = useFirstReadingAfter(seen, day);
  const firstText = useFirstReadingText();
  if (!isPast) {
    const isRead = seen.meterReadAt !== undefined || seen.meterReading > 0;
    return {
      preset: isRead ? seen.meterReading : undefined,
      hint: t(isRead ? "equipment-detail.done.meterNow" : "equipment-detail.done.leaveBlank"),
    };
  }
  const { before } = around ?? {};
  const unknown = first ? firstText(seen, first) : t("equipment-detail.done.leaveBlank");
  const parts = [
    // The first reading is the next one.
    around && (before || !first) && aroundText(around, seen.unit),
    around && !before && `${t("equipment-detail.done.meterUnknown")} ${unknown}`,
  ];
  return { preset: before?.dial, hint: parts.filter(Boolean).join(" ") };
}

/** Shows the preset until something is typed. */
function MeterField({
  control,
  seen,
  preset,
  hint,
}: {
  control: Control<ServiceValues>;
  seen: Equipment;
  preset: number | undefined;
  hint: string;
}) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const label = t("equipment-detail.done.meter");
  const { field, text, error, aria } = useField({
    control,
    name: "meter",
    label,
    hint,
  });
  const untouched = field.value === null && preset !== undefined;
  return (
    <FieldFrame id={aria.id} label={label} hint={hint} optional error={error}>
      <UnitInput
        {...aria}
        {...field}
        value={untouched ? String(preset) : text}
        unit={labels.unit(unitWord(seen.unit))}
      />
    </FieldFrame>
  );
}
