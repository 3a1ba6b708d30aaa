import { Link } from "@tanstack/react-router";
import type { UseFormReturn } from "react-hook-form";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { calendarUnits } from "#/domain/calendar";
import { hasEarlierMeters } from "#/domain/dial";
import { equipmentTypes } from "#/domain/equipment-types";
import { unitWord } from "#/domain/equipment-wire";
import {
  alertThresholds,
  equipmentFuels,
  meterUnits,
  operationalStatuses,
} from "#/domain/equipment-words";
import { operationalLabel } from "#/shared/words/operational-label";
import { calendarUnitLabel } from "#/shared/words/calendar-unit-label";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { useFormat } from "#/shared/format/use-format";
import { CheckboxField } from "#/shared/form/fields/checkbox-field";
import { DateField } from "#/shared/form/fields/date-field";
import { NumberField } from "#/shared/form/fields/number-field";
import { SelectField } from "#/shared/form/fields/select-field";
import { TextField } from "#/shared/form/fields/text-field";
import { Card } from "#/shared/ui/card";
import { FigureField } from "./figure-field";
import { IntervalChips } from "./interval-chips";
import type { EquipmentValues } from "./schema";
import { GroupField } from "./group-field";
import { useDuplicate } from "./use-duplicate";
import { useProposals, useUnitChange } from "./use-proposals";

const pair = "grid gap-4 md:grid-cols-2";

interface Section {
  form: UseFormReturn<EquipmentValues>;
  /** The edited equipment; null when adding. */
  equipment: Equipment | null;
}

interface Measured extends Section {
  /** The meter's unit, shown beside readings. */
  unit: string | undefined;
}

/** What a new machine needs; the type proposes the unit and the fuel. */
export function IdentitySection({ form, equipment, unit }: Measured) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const { control } = form;
  const sameName = useDuplicate(control, "name", equipment?.id);
  const propose = useProposals(form, equipment);
  const changeUnit = useUnitChange(form, equipment);
  return (
    <Card title={t("equipment-form.fields.identity")}>
      <div className="space-y-4">
        <TextField
          control={control}
          name="name"
          label={t("equipment-form.fields.name")}
          maxLength={200}
          hint={sameName && t("equipment-form.duplicate.name", { name: sameName })}
        />
        <div className={pair}>
          <SelectField
            control={control}
            name="type"
            label={t("equipment-form.fields.type")}
            placeholder={t("equipment-form.fields.choose")}
            options={equipmentTypes.map((type) => ({ value: type, label: labels.type(type) }))}
            onChange={propose}
          />
          <SelectField
            control={control}
            name="unit"
            label={t("equipment-form.fields.unit")}
            placeholder={t("equipment-form.fields.choose")}
            options={meterUnits.map((each) => ({ value: each, label: labels.unit(each) }))}
            onChange={changeUnit}
          />
          <SelectField
            control={control}
            name="fuel"
            label={t("equipment-form.fields.fuelType")}
            options={equipmentFuels.map((fuel) => ({ value: fuel, label: labels.fuel(fuel) }))}
          />
          <FigureField
            control={control}
            name="currentUsage"
            unit={unit}
            placeholder="0"
            {...(equipment && unit ? { hint: <MeterHint equipment={equipment} /> } : {})}
          />
        </div>
      </div>
    </Card>
  );
}

export function NumbersSection({ form: { control }, equipment }: Section) {
  const { t } = useTranslation();
  const sameNumber = useDuplicate(control, "serialNumber", equipment?.id);
  return (
    <Card title={t("equipment-form.numbers")}>
      <div className={pair}>
        <TextField
          control={control}
          name="unitNumber"
          label={t("equipment-form.fields.unitNumber")}
          optional
          mono
          plain
          maxLength={50}
        />
        <TextField
          control={control}
          name="serialNumber"
          label={t("equipment-form.fields.serialNumber")}
          hint={sameNumber && t("equipment-form.duplicate.serialNumber", { name: sameNumber })}
          optional
          mono
          plain
          maxLength={100}
        />
        <GroupField control={control} name="group" />
        <SelectField
          control={control}
          name="operationalStatus"
          label={t("equipment.operational.label")}
          options={operationalStatuses.map((status) => ({
            value: status,
            label: operationalLabel(t, status),
          }))}
        />
      </div>
    </Card>
  );
}

export function LifespanSection({ form: { control }, unit }: Omit<Measured, "equipment">) {
  const { t } = useTranslation();
  const format = useFormat();
  return (
    <Card title={t("equipment-form.lifespan")}>
      <div className={pair}>
        <FigureField control={control} name="threshold" unit={unit} />
        <SelectField
          control={control}
          name="alertThreshold"
          label={t("equipment-form.fields.alertThreshold")}
          hint={t("equipment-form.fields.alertHint")}
          options={alertThresholds.map((left) => ({
            value: left,
            label: t("equipment-form.fields.alertOption", {
              percent: format.percent(100 - Number(left)),
            }),
          }))}
        />
      </div>
    </Card>
  );
}

/** For corrections; a meter is replaced on the machine's own page. */
function MeterHint({ equipment }: { equipment: Equipment }) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  return (
    <>
      {hasEarlierMeters(equipment) &&
        `${t("equipment-meters.form.usageHint", {
          amount: labels.amount(equipment.currentUsage, unitWord(equipment.unit)),
        })} `}
      {t("equipment-meters.form.question")}{" "}
      <Link
        to="/equipment/item/$id"
        params={{ id: equipment.id }}
        search={{ replace: "meter" }}
        className="rounded-control font-semibold text-accent hover:underline"
      >
        {t("equipment-meters.replace.action")}
      </Link>
    </>
  );
}

export function ServiceSection({ form, unit, equipment }: Measured) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const { control } = form;
  return (
    <Card
      title={t("equipment-form.fields.service")}
      description={t("equipment-form.fields.serviceText")}
    >
      <div className={pair}>
        <div>
          <FigureField control={control} name="serviceInterval" unit={unit} />
          <IntervalChips form={form} />
        </div>
        <FigureField
          control={control}
          name="lastServiceUsage"
          unit={unit}
          hint={
            equipment && hasEarlierMeters(equipment)
              ? t("equipment-meters.form.lastServicedHint", {
                  amount: labels.amount(equipment.currentUsage, unitWord(equipment.unit)),
                })
              : t("equipment-form.fields.lastServicedHint")
          }
        />
      </div>
    </Card>
  );
}

export function ScheduleSection({ form }: Pick<Section, "form">) {
  const { t } = useTranslation();
  const { control } = form;
  const on = form.watch("hasScheduledMaintenance");
  return (
    <Card
      title={t("equipment-form.fields.calendar")}
      description={t("equipment-form.fields.scheduleText")}
    >
      <CheckboxField
        control={control}
        name="hasScheduledMaintenance"
        label={t("equipment-form.fields.schedule")}
        onChange={(checked) => {
          // Turning it off clears the schedule.
          if (checked) return;
          form.setValue("maintenanceStartDate", "", { shouldDirty: true });
          form.setValue("maintenanceInterval", "", { shouldDirty: true });
          form.clearErrors(["maintenanceStartDate", "maintenanceInterval"]);
        }}
      />
      {on && (
        <div className="mt-3 grid gap-4 md:grid-cols-3">
          <DateField
            control={control}
            name="maintenanceStartDate"
            label={t("equipment-form.fields.startDate")}
          />
          <NumberField
            control={control}
            name="maintenanceInterval"
            label={t("equipment-form.fields.maintenanceInterval")}
            whole
            digitsOnly
          />
          <SelectField
            control={control}
            name="maintenanceIntervalUnit"
            label={t("equipment-form.fields.maintenanceUnit")}
            options={calendarUnits.map((unit) => ({
              value: unit,
              label: calendarUnitLabel(t, unit),
            }))}
          />
        </div>
      )}
    </Card>
  );
}
