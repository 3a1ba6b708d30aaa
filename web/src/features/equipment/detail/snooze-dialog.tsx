import { useTranslation } from "react-i18next";
import * as v from "valibot";
import { useErrorText } from "#/api/error-text";
import {
  EquipmentService,
  type Equipment,
  type ServiceTask,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { nextDate } from "#/domain/calendar";
import { lifeToDate } from "#/domain/dial";
import { unitWord } from "#/domain/equipment-wire";
import { key } from "#/i18n/key";
import { hasTooManyDecimals, parseDecimal } from "#/shared/form/decimal";
import { DateField } from "#/shared/form/fields/date-field";
import { NumberField } from "#/shared/form/fields/number-field";
import { SelectField } from "#/shared/form/fields/select-field";
import { TextAreaField } from "#/shared/form/fields/text-area-field";
import { FormDialog } from "#/shared/form/form-dialog";
import { showFieldErrors, useAppForm } from "#/shared/form/use-app-form";
import { useWrite } from "#/shared/form/use-write";
import { toast } from "#/shared/toast/store";
import { useCompanyDay } from "#/shared/use-company-day";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { useRefreshEquipment } from "../queries";
import { useSnoozeText } from "../table/snooze-lines";
import { isAfter, longestReason, snoozeReason } from "./snooze-schema";
import { useWake } from "./use-wake";

function snoozeSchema(today: string, reading: number) {
  return v.pipe(
    v.object({
      kind: v.picklist(["date", "usage"]),
      untilDate: v.string(),
      untilUsage: v.string(),
      reason: snoozeReason,
    }),
    v.forward(
      v.partialCheck(
        [["kind"], ["untilDate"]],
        ({ kind, untilDate }) => kind === "usage" || isAfter(today, untilDate),
        key("equipment-detail.snooze.afterToday"),
      ),
      ["untilDate"],
    ),
    v.forward(
      v.partialCheck(
        [["kind"], ["untilUsage"]],
        ({ kind, untilUsage }) => kind === "date" || !hasTooManyDecimals(untilUsage),
        key("equipment-form.fields.twoDecimals"),
      ),
      ["untilUsage"],
    ),
    v.forward(
      v.partialCheck(
        [["kind"], ["untilUsage"]],
        ({ kind, untilUsage }) => kind === "date" || (parseDecimal(untilUsage) ?? 0) > reading,
        key("equipment-detail.snooze.aboveMeter"),
      ),
      ["untilUsage"],
    ),
  );
}

type SnoozeValues = v.InferOutput<ReturnType<typeof snoozeSchema>>;

/** Until when a task does not count, and why. */
export function SnoozeDialog({
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
  const snoozeText = useSnoozeText();
  const wake = useWake(equipment, task);
  const today = useCompanyDay();
  const unit = unitWord(equipment.unit);
  const name = task.name || t("equipment-detail.tasks.regular");
  const form = useAppForm<SnoozeValues>(snoozeSchema(today, equipment.meterReading), {
    kind: "date",
    untilDate: nextDate(today, 7, "days") ?? "",
    untilUsage: "",
    reason: "",
  });
  const kind = form.watch("kind");
  const snoozing = useWrite(EquipmentService.method.snoozeServiceTask, {
    onSuccess: ({ task: now }) => {
      toast.success(
        t("equipment-detail.snooze.done", { name }),
        now?.snooze && snoozeText(equipment, now.snooze),
        { label: t("equipment-detail.snooze.undo"), run: wake.run },
      );
      onClose();
      void refresh();
    },
    onError: (error) => showFieldErrors(form, error, ["untilDate", "untilUsage", "reason"]),
  });
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t("equipment-detail.snooze.title", { name })}
      description={t("equipment-detail.snooze.text")}
      onSubmit={form.handleSubmit((values) =>
        snoozing.mutate({
          equipmentId: equipment.id,
          taskId: task.id,
          reason: values.reason.trim(),
          ...(values.kind === "date"
            ? { untilDate: values.untilDate }
            : { untilUsage: lifeToDate(equipment, parseDecimal(values.untilUsage) ?? 0) }),
        }),
      )}
      loading={snoozing.isPending}
      submitError={snoozing.error && errorText(snoozing.error, "equipment-detail.snooze.failed")}
      submitLabel={t("equipment-detail.snooze.submit")}
      pendingLabel={t("equipment-detail.tasks.saving")}
    >
      <div className="grid items-start gap-4 sm:grid-cols-2">
        {unit !== "n/a" && (
          <SelectField
            control={form.control}
            name="kind"
            label={t("equipment-detail.snooze.kind")}
            options={[
              { value: "date", label: t("equipment-detail.snooze.date") },
              { value: "usage", label: t("equipment-detail.snooze.usage") },
            ]}
          />
        )}
        {kind === "date" ? (
          <DateField
            control={form.control}
            name="untilDate"
            label={t("equipment-detail.snooze.date")}
            min={nextDate(today, 1, "days") ?? today}
          />
        ) : (
          <NumberField
            control={form.control}
            name="untilUsage"
            label={t("equipment-detail.snooze.usage")}
            hint={t("equipment-detail.snooze.usageHint", {
              amount: labels.amount(equipment.meterReading, unit),
            })}
            unit={labels.unit(unit)}
          />
        )}
      </div>
      <TextAreaField
        control={form.control}
        name="reason"
        label={t("equipment-detail.snooze.reason")}
        rows={2}
        maxLength={longestReason}
      />
    </FormDialog>
  );
}
