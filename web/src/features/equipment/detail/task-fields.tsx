import { Link } from "@tanstack/react-router";
import type { Control } from "react-hook-form";
import { useTranslation } from "react-i18next";
import {
  TaskBasis,
  type Equipment,
  type ServiceTask,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { calendarUnits } from "#/domain/calendar";
import { hasEarlierMeters } from "#/domain/dial";
import { unitWord } from "#/domain/equipment-wire";
import { DateField } from "#/shared/form/fields/date-field";
import { NumberField } from "#/shared/form/fields/number-field";
import { SelectField } from "#/shared/form/fields/select-field";
import { TextField } from "#/shared/form/fields/text-field";
import { useCompanyDay } from "#/shared/use-company-day";
import { calendarUnitLabel } from "#/shared/words/calendar-unit-label";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { useDialText } from "../meters/use-dial-text";
import type { TaskValues } from "./task-schema";
import { useIntervalText } from "./use-interval-text";
import { useLastDoneText } from "./use-last-done-text";

/** Name, intervals and last service; of the regular service, which the form edits, as text. */
export function TaskFields({
  control,
  equipment,
  task,
}: {
  control: Control<TaskValues>;
  equipment: Equipment;
  task: ServiceTask | null;
}) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const dial = useDialText();
  const today = useCompanyDay();
  const unit = unitWord(equipment.unit);
  const unitLabel = unit === "n/a" ? {} : { unit: labels.unit(unit) };
  if (task?.fromForm) return <FormFacts equipment={equipment} task={task} />;
  return (
    <>
      <TextField
        control={control}
        name="name"
        label={t("equipment-detail.tasks.name")}
        placeholder={t("equipment-detail.tasks.namePlaceholder")}
        maxLength={100}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <NumberField
          control={control}
          name="usageInterval"
          label={t("equipment-detail.tasks.usageInterval")}
          optional
          whole
          {...unitLabel}
        />
        <NumberField
          control={control}
          name="lastDoneUsage"
          label={t("equipment-detail.tasks.lastDoneUsage")}
          optional
          {...(hasEarlierMeters(equipment)
            ? {
                hint: t("equipment-meters.form.lastDoneHint", {
                  amount: dial.life(equipment, equipment.currentUsage),
                }),
              }
            : task
              ? {}
              : { hint: t("equipment-detail.tasks.lastDoneUsageHint") })}
          {...unitLabel}
        />
      </div>
      <div className="grid gap-4 sm:grid-cols-2">
        <NumberField
          control={control}
          name="calendarInterval"
          label={t("equipment-detail.tasks.calendarInterval")}
          optional
          whole
          digitsOnly
        />
        <SelectField
          control={control}
          name="calendarUnit"
          label={t("equipment-form.fields.maintenanceUnit")}
          options={calendarUnits.map((value) => ({
            value,
            label: calendarUnitLabel(t, value),
          }))}
        />
      </div>
      <DateField
        control={control}
        name="lastDoneOn"
        label={t("equipment-detail.tasks.lastDoneOn")}
        optional
        max={today}
        {...(task ? {} : { hint: t("equipment-detail.tasks.lastDoneOnHint") })}
      />
    </>
  );
}

function FormFacts({ equipment, task }: { equipment: Equipment; task: ServiceTask }) {
  const { t } = useTranslation();
  const interval = useIntervalText();
  const lastDone = useLastDoneText();
  const { usageInterval, calendarInterval, calendarUnit } = task;
  const last = lastDone(equipment, task);
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2 rounded-card bg-sunken px-3 py-2.5">
      <div className="min-w-0">
        <p className="font-semibold first-letter:uppercase">
          {interval({
            usageInterval,
            calendarInterval,
            calendarUnit,
            unit: equipment.unit,
          })}
        </p>
        {last !== "" && (
          <p className="text-sm text-muted">
            {task.basis === TaskBasis.ON_THE_MARK
              ? t("equipment-detail.tasks.last", { value: last })
              : t("equipment-detail.tasks.countsFrom", { value: last })}
          </p>
        )}
      </div>
      <Link
        to="/add-equipment"
        search={{ edit: equipment.id, from: "item" }}
        className="rounded-control font-semibold text-accent underline-offset-2 hover:underline"
      >
        {t("equipment-detail.tasks.inForm")}
      </Link>
    </div>
  );
}
