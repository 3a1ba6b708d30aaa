import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { EquipmentService, type Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { equipmentFuelWord, unitWord } from "#/domain/equipment-wire";
import { fuelKinds, presetFuelKind } from "#/domain/equipment-words";
import { useWrite } from "#/shared/form/use-write";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { parseDecimal } from "#/shared/form/decimal";
import { FormDialog } from "#/shared/form/form-dialog";
import { NumberField } from "#/shared/form/fields/number-field";
import { SelectField } from "#/shared/form/fields/select-field";
import { TextAreaField } from "#/shared/form/fields/text-area-field";
import { showFieldErrors, useAppForm } from "#/shared/form/use-app-form";
import { toast } from "#/shared/toast/store";
import { useRefreshEquipment } from "../queries";
import { toUsageRequest, usageSchema } from "./usage-schema";

export function UsageDialog({ equipment, onClose }: { equipment: Equipment; onClose: () => void }) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const errorText = useErrorText();
  const refresh = useRefreshEquipment();
  const unit = unitWord(equipment.unit);
  const form = useAppForm(usageSchema, {
    usageIncrease: "",
    fuelAdded: "",
    fuelKind: presetFuelKind(equipmentFuelWord(equipment.fuel)),
    notes: "",
  });
  const record = useWrite(EquipmentService.method.recordUsage, {
    onSuccess: ({ equipment: now }) => {
      toast.success(
        t("equipment.usage.done"),
        t("equipment.usage.doneText", {
          name: equipment.name,
          amount: labels.amount(now?.meterReading ?? equipment.meterReading, unit),
        }),
      );
      onClose();
      void refresh();
    },
    onError: (error) => {
      showFieldErrors(form, error, ["usageIncrease", "fuelAdded", "notes"]);
      toast.failure(t("equipment.usage.failed"), errorText(error));
    },
  });
  const typed = parseDecimal(form.watch("usageIncrease")) ?? 0;
  const total = Math.round((equipment.meterReading + Math.max(0, typed)) * 100) / 100;
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t("equipment.usage.title")}
      description={equipment.name}
      onSubmit={form.handleSubmit(
        (values) => record.mutate(toUsageRequest(equipment.id, values)),
        (errors) => {
          if (errors.usageIncrease) {
            toast.failure(t("equipment.usage.invalid"), t("equipment.usage.invalidText"));
          }
        },
      )}
      loading={record.isPending}
      submitError={record.error && errorText(record.error)}
      submitLabel={t("equipment.usage.submit")}
      pendingLabel={t("equipment.usage.pending")}
    >
      <dl className="grid grid-cols-2 gap-4 rounded-card border border-line bg-sunken px-4 py-3">
        <div>
          <dt className="text-sm text-muted">{t("equipment.usage.current")}</dt>
          <dd className="font-semibold">{labels.amount(equipment.meterReading, unit)}</dd>
        </div>
        <div>
          <dt className="text-sm text-muted">{t("equipment.usage.newTotal")}</dt>
          <dd aria-live="polite" className="font-semibold">
            {labels.amount(total, unit)}
          </dd>
        </div>
      </dl>
      <NumberField
        control={form.control}
        name="usageIncrease"
        label={t("equipment.usage.increase")}
        hint={t("equipment.usage.increaseHint")}
        {...(unit === "n/a" ? {} : { unit: labels.unit(unit) })}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <NumberField
          control={form.control}
          name="fuelAdded"
          label={t("equipment.usage.fuelAdded")}
          optional
          unit={labels.fuelUnit}
        />
        <SelectField
          control={form.control}
          name="fuelKind"
          label={t("equipment.usage.fuelType")}
          options={fuelKinds.map((kind) => ({ value: kind, label: labels.fuelKind(kind) }))}
        />
      </div>
      <TextAreaField
        control={form.control}
        name="notes"
        label={t("equipment.usage.notes")}
        optional
        rows={2}
      />
    </FormDialog>
  );
}
