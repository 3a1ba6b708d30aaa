import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import * as v from "valibot";
import { useErrorText } from "#/api/error-text";
import { toFailure } from "#/api/errors";
import {
  EquipmentService,
  type Equipment,
  type HistoryRecord,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { unitWord } from "#/domain/equipment-wire";
import { key } from "#/i18n/key";
import { DateField } from "#/shared/form/fields/date-field";
import { NumberField } from "#/shared/form/fields/number-field";
import { TextAreaField } from "#/shared/form/fields/text-area-field";
import { FormDialog } from "#/shared/form/form-dialog";
import { showFieldErrors, useAppForm } from "#/shared/form/use-app-form";
import { useWrite } from "#/shared/form/use-write";
import { useFormat } from "#/shared/format/use-format";
import { toast } from "#/shared/toast/store";
import { Notice } from "#/shared/ui/notice";
import { useCompanyDay } from "#/shared/use-company-day";
import { isMoney, parseMoney, pastDay } from "../form/quantity";
import { useRefreshEquipment } from "../queries";
import { EditedDue, EditedMeter, useAboveNextText, useMetersAroundEdit } from "./edit-effect";
import { visitsOf } from "./visits";
import { VoidedLine } from "./voided-line";

function editSchema(today: string) {
  return v.object({
    performedAt: v.pipe(pastDay(today), v.minLength(1, key("equipment-detail.edit.dateRequired"))),
    cost: v.pipe(v.string(), v.check(isMoney, key("equipment-dialogs.serviced.costInvalid"))),
    notes: v.string(),
  });
}

function valuesOf({ performedOn, cost, notes }: HistoryRecord) {
  return { performedAt: performedOn, cost: cost === undefined ? "" : String(cost), notes };
}

const fields = ["performedAt", "cost", "notes"] as const;

/** Whether a field shows the refusal. */
function isAtField(error: unknown): boolean {
  const refused = toFailure(error).fields;
  return fields.some((field) => refused[field] !== undefined);
}

/** The listed versions of a service since `record`, oldest first. */
function versionsOf(records: readonly HistoryRecord[], record: HistoryRecord): HistoryRecord[] {
  const listed = records.find(({ id }) => id === record.id) ?? record;
  const next = records.find(({ replaces }) => replaces === record.id);
  return next ? [listed, ...versionsOf(records, next)] : [listed];
}

/**
 * Corrects cost, day and notes of a recorded service. If someone else edits it meanwhile, it takes
 * the new version, keeps typed values and shows what has changed.
 */
export function EditServiceDialog({
  equipment,
  record,
  records,
  onClose,
}: {
  equipment: Equipment;
  record: HistoryRecord;
  /** The list with the record; refreshed after a refusal. */
  records: readonly HistoryRecord[];
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const format = useFormat();
  const errorText = useErrorText();
  const aboveNext = useAboveNextText(equipment);
  const refresh = useRefreshEquipment();
  const today = useCompanyDay();
  const form = useAppForm(editSchema(today), valuesOf(record));
  const versions = versionsOf(records, record);
  const newest = versions.at(-1) ?? record;
  const replaced = versions.filter(({ voiding }) => voiding && voiding.replacedBy !== "");
  // The newest version may be on a page that is not loaded.
  const entryId = newest.voiding?.replacedBy || newest.id;
  const edited = { equipment, record: newest, day: form.watch("performedAt") };
  const around = useMetersAroundEdit(edited);
  const visit = visitsOf(records, "").find(({ parts }) => parts.some(({ id }) => id === newest.id));
  const others = (visit?.parts.length ?? 1) - 1;
  const { reset } = form;
  useEffect(() => {
    const keep = { keepDirtyValues: true, keepErrors: true, keepIsSubmitted: true };
    reset(valuesOf(newest), keep);
  }, [reset, newest]);
  const editing = useWrite(EquipmentService.method.editService, {
    onSuccess: () => {
      toast.success(
        t("equipment-detail.edit.done"),
        t("equipment-detail.edit.doneText", { name: equipment.name }),
      );
      onClose();
      void refresh();
    },
    onError: (error) => {
      showFieldErrors(form, error, fields);
      const { code, params } = toFailure(error).fields.performedAt ?? {};
      if (code === "READING_ABOVE_NEXT") {
        const message = aboveNext(newest, Number(params?.next), around);
        form.setError("performedAt", { type: "server", message }, { shouldFocus: true });
      }
      // Someone else was faster, so the screen is outdated.
      if (toFailure(error).status === 409) void refresh();
    },
  });
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t("equipment-detail.edit.title")}
      description={t("equipment-detail.edit.text")}
      onSubmit={form.handleSubmit(({ performedAt, cost, notes }) => {
        const amount = parseMoney(cost);
        editing.mutate({
          equipmentId: equipment.id,
          entryId,
          performedAt,
          notes: notes.trim(),
          ...(amount === null ? { clearCost: true } : { cost: amount }),
        });
      })}
      loading={editing.isPending}
      submitError={
        editing.error && editing.variables.entryId === entryId && !isAtField(editing.error)
          ? errorText(editing.error, "equipment-detail.edit.failed")
          : null
      }
      submitLabel={t("equipment-detail.edit.submit")}
      pendingLabel={t("equipment-detail.edit.pending")}
    >
      {replaced.length > 0 && (
        <Notice tone="danger">
          <p>{t("equipment-detail.edit.meanwhile")}</p>
          {replaced.map(({ id, voiding }) => voiding && <VoidedLine key={id} voiding={voiding} />)}
        </Notice>
      )}
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <DateField
          control={form.control}
          name="performedAt"
          label={t("equipment-dialogs.serviced.date")}
          max={today}
        />
        {unitWord(equipment.unit) !== "n/a" && <EditedMeter {...edited} around={around} />}
        <NumberField
          control={form.control}
          name="cost"
          label={t("equipment-dialogs.serviced.cost")}
          optional
          unit="USD"
        />
      </div>
      <TextAreaField
        control={form.control}
        name="notes"
        label={t("equipment-dialogs.serviced.notes")}
        optional
        rows={3}
      />
      {others > 0 && edited.day !== newest.performedOn && (
        <p className="text-sm">
          {t("equipment-detail.edit.others", {
            count: others,
            date: format.calendarDate(newest.performedOn),
          })}
        </p>
      )}
      <EditedDue {...edited} around={around} />
    </FormDialog>
  );
}
