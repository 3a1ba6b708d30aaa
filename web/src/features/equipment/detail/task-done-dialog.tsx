import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { toFailure } from "#/api/errors";
import {
  EquipmentService,
  type Equipment,
  type ServiceTask,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { unitWord } from "#/domain/equipment-wire";
import { useWrite } from "#/shared/form/use-write";
import { useCompanyDay } from "#/shared/use-company-day";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { parseDecimal } from "#/shared/form/decimal";
import { FormDialog } from "#/shared/form/form-dialog";
import { DateField } from "#/shared/form/fields/date-field";
import { NumberField } from "#/shared/form/fields/number-field";
import { TextAreaField } from "#/shared/form/fields/text-area-field";
import { showFieldErrors, useAppForm } from "#/shared/form/use-app-form";
import { toast } from "#/shared/toast/store";
import { useRefreshEquipment } from "../queries";
import { doneSchema } from "./task-schema";

export function TaskDoneDialog({
  equipment,
  task,
  onClose,
}: {
  equipment: Equipment;
  task: ServiceTask;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const errorText = useErrorText();
  const refresh = useRefreshEquipment();
  const today = useCompanyDay();
  const unit = unitWord(equipment.unit);
  const name = task.fromForm ? t("equipment-detail.tasks.regular") : task.name;
  const form = useAppForm(doneSchema(today), { performedAt: "", meter: "", cost: "", notes: "" });
  const done = useWrite(EquipmentService.method.completeServiceTask, {
    onSuccess: () => {
      toast.success(
        t("equipment-detail.done.toast"),
        t("equipment-detail.done.toastText", { name }),
      );
      onClose();
      void refresh();
    },
    onError: (error) => showFieldErrors(form, error, ["performedAt", "meter", "cost", "notes"]),
  });
  const noPlan = done.error !== null && toFailure(done.error).code === "NO_SERVICE_PLAN";
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t("equipment-detail.done.title", { name })}
      description={t("equipment-detail.done.text")}
      onSubmit={form.handleSubmit(({ performedAt, meter, cost, notes }) => {
        const reading = parseDecimal(meter);
        const dollars = parseDecimal(cost);
        done.mutate({
          equipmentId: equipment.id,
          taskId: task.id,
          performedAt,
          notes: notes.trim(),
          ...(reading === null ? {} : { meter: reading }),
          ...(dollars === null ? {} : { cost: dollars }),
        });
      })}
      loading={done.isPending}
      submitError={
        noPlan
          ? t("equipment-detail.done.noPlan")
          : done.error && errorText(done.error, "equipment-detail.done.failed")
      }
      submitLabel={t("equipment-detail.done.submit")}
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
      <NumberField
        control={form.control}
        name="meter"
        label={t("equipment-detail.done.meter")}
        hint={t("equipment-detail.done.meterHint", {
          amount: labels.amount(equipment.meterReading, unit),
        })}
        optional
        {...(unit === "n/a" ? {} : { unit: labels.unit(unit) })}
      />
      <TextAreaField
        control={form.control}
        name="notes"
        label={t("equipment.serviced.notes")}
        optional
        rows={2}
      />
    </FormDialog>
  );
}
