import { useTranslation } from "react-i18next";
import * as v from "valibot";
import { useErrorText } from "#/api/error-text";
import { EquipmentService, type Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { readDate } from "#/domain/calendar";
import { unitWord } from "#/domain/equipment-wire";
import { useWrite } from "#/shared/form/use-write";
import { useCompanyDay } from "#/shared/use-company-day";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { key } from "#/i18n/key";
import { hasAtMostTwoDecimals, parseDecimal } from "#/shared/form/decimal";
import { FormDialog } from "#/shared/form/form-dialog";
import { DateField } from "#/shared/form/fields/date-field";
import { NumberField } from "#/shared/form/fields/number-field";
import { TextAreaField } from "#/shared/form/fields/text-area-field";
import { showFieldErrors, useAppForm } from "#/shared/form/use-app-form";
import { toast } from "#/shared/toast/store";
import { useRefreshEquipment } from "../queries";

function isCost(text: string): boolean {
  if (text.trim() === "") return true;
  const value = parseDecimal(text);
  return value !== null && value >= 0 && hasAtMostTwoDecimals(value);
}

const servicedSchema = v.object({
  performedAt: v.pipe(
    v.string(),
    v.check((date) => date === "" || readDate(date) !== null, key("equipment.form.dateInvalid")),
  ),
  cost: v.pipe(v.string(), v.check(isCost, key("equipment.serviced.costInvalid"))),
  notes: v.string(),
});

export function ServicedDialog({
  equipment,
  onClose,
}: {
  equipment: Equipment;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const errorText = useErrorText();
  const refresh = useRefreshEquipment();
  const today = useCompanyDay();
  const form = useAppForm(servicedSchema, { performedAt: "", cost: "", notes: "" });
  const serviced = useWrite(EquipmentService.method.markServiced, {
    onSuccess: () => {
      toast.success(
        t("equipment.serviced.done"),
        t("equipment.serviced.doneText", { name: equipment.name }),
      );
      onClose();
      void refresh();
    },
    onError: (error) => {
      showFieldErrors(form, error, ["performedAt", "cost", "notes"]);
      toast.failure(t("equipment.error"), t("equipment.serviced.failed"));
    },
  });
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t("equipment.serviced.title", { name: equipment.name })}
      description={
        equipment.hasScheduledMaintenance
          ? t("equipment.serviced.textWithSchedule", {
              amount: labels.amount(equipment.meterReading, unitWord(equipment.unit)),
            })
          : t("equipment.serviced.text", {
              amount: labels.amount(equipment.meterReading, unitWord(equipment.unit)),
            })
      }
      onSubmit={form.handleSubmit(({ performedAt, cost, notes }) => {
        const dollars = parseDecimal(cost);
        serviced.mutate({
          id: equipment.id,
          performedAt,
          notes: notes.trim(),
          ...(dollars === null ? {} : { cost: dollars }),
        });
      })}
      loading={serviced.isPending}
      submitError={serviced.error && errorText(serviced.error, "equipment.serviced.failed")}
      submitLabel={t("equipment.serviced.submit")}
      pendingLabel={t("equipment.serviced.pending")}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <DateField
          control={form.control}
          name="performedAt"
          label={t("equipment.serviced.date")}
          hint={t("equipment.serviced.dateHint")}
          optional
          max={today}
        />
        <NumberField
          control={form.control}
          name="cost"
          label={t("equipment.serviced.cost")}
          optional
          unit="USD"
        />
      </div>
      <TextAreaField
        control={form.control}
        name="notes"
        label={t("equipment.serviced.notes")}
        optional
      />
    </FormDialog>
  );
}
