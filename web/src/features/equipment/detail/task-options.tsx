import { useFormState, useWatch, type Control } from "react-hook-form";
import { useTranslation } from "react-i18next";
import type { Equipment, ServiceTask } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { hasEarlierMeters } from "#/domain/dial";
import { unitWord } from "#/domain/equipment-wire";
import { DateField } from "#/shared/form/fields/date-field";
import { NumberField } from "#/shared/form/fields/number-field";
import { useCompanyDay } from "#/shared/use-company-day";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { useDialText } from "../meters/use-dial-text";
import { BasisField, MoreOptions, WarningFields } from "../rules/rule-fields";
import { isUsualRule } from "../rules/rule-schema";
import { taskPreview, useTaskPreviewText } from "./task-preview";
import type { TaskValues } from "./task-schema";

/** When the task would be due with what is typed. */
export function TaskPreviewLine({
  control,
  equipment,
  task,
}: {
  control: Control<TaskValues>;
  equipment: Equipment;
  task: ServiceTask | null;
}) {
  const { t } = useTranslation();
  const today = useCompanyDay();
  const text = useTaskPreviewText(equipment);
  const values = useWatch({ control, compute: (typed: TaskValues) => typed });
  const isRead = equipment.meterReadAt !== undefined || unitWord(equipment.unit) === "n/a";
  const usage = isRead ? equipment.currentUsage : null;
  const lines = text(values, taskPreview(values, task, usage, today));
  return (
    <output className="block text-sm" aria-label={t("equipment-detail.rules.preview.label")}>
      {lines.map((line) => (
        <span key={line} className="block">
          {line}
        </span>
      ))}
    </output>
  );
}

/** What most tasks do not need. */
export function TaskOptions({
  control,
  equipment,
  initial,
  openAtFirst,
}: {
  control: Control<TaskValues>;
  equipment: Equipment;
  initial: TaskValues;
  openAtFirst: boolean;
}) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const dial = useDialText();
  const { errors } = useFormState({ control });
  const unit = unitWord(equipment.unit);
  const isUsual =
    isUsualRule(initial) && initial.firstDueUsage === "" && initial.firstDueDate === "";
  const isWrong = Boolean(
    errors.basis ??
    errors.warning ??
    errors.warningDays ??
    errors.firstDueUsage ??
    errors.firstDueDate,
  );
  return (
    <MoreOptions control={control} isSet={openAtFirst || !isUsual} isWrong={isWrong}>
      <BasisField control={control} name="basis" />
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <NumberField
          control={control}
          name="firstDueUsage"
          label={t("equipment-detail.rules.firstDueUsage")}
          hint={[
            t("equipment-detail.rules.firstDueHint"),
            ...(hasEarlierMeters(equipment)
              ? [
                  t("equipment-meters.form.lastDoneHint", {
                    amount: dial.life(equipment, equipment.currentUsage),
                  }),
                ]
              : []),
          ].join(" ")}
          optional
          {...(unit === "n/a" ? {} : { unit: labels.unit(unit) })}
        />
        <DateField
          control={control}
          name="firstDueDate"
          label={t("equipment-detail.rules.firstDueDate")}
          optional
        />
      </div>
      <WarningFields
        control={control}
        names={{
          warning: "warning",
          warningUnit: "warningUnit",
          warningDays: "warningDays",
        }}
        unit={unit === "n/a" ? t("equipment-detail.rules.usage") : labels.unit(unit)}
      />
    </MoreOptions>
  );
}
