import { callUnaryMethod } from "@connectrpc/connect-query";
import { useRef, type ReactNode } from "react";
import type { UseFormReturn } from "react-hook-form";
import { useTranslation } from "react-i18next";
import * as v from "valibot";
import { useErrorText } from "#/api/error-text";
import { EquipmentService, type Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { readDate } from "#/domain/calendar";
import { equipmentTypes } from "#/domain/equipment-types";
import { typeOnWire } from "#/domain/equipment-wire";
import { key } from "#/i18n/key";
import { CheckboxField } from "#/shared/form/fields/checkbox-field";
import { DateField } from "#/shared/form/fields/date-field";
import { SelectField } from "#/shared/form/fields/select-field";
import { TextAreaField } from "#/shared/form/fields/text-area-field";
import { FormDialog } from "#/shared/form/form-dialog";
import { useAppForm } from "#/shared/form/use-app-form";
import { useCompanyDay } from "#/shared/use-company-day";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { dueTasks } from "../dialogs/due-tasks";
import { OpenMattersNotice } from "../dialogs/open-matters";
import { useOpenMatters } from "../dialogs/use-open-matters";
import { rejectWaiting, useRefreshUpdates } from "../dialogs/use-reject-waiting";
import { GroupField } from "../form/group-field";
import { ChooseSetDialog } from "../task-sets/choose-set-dialog";
import { useBulk } from "./use-bulk";

const { markServiced, retireEquipment, updateEquipment } = EquipmentService.method;

export type BulkAction = "serviced" | "taskSet" | "type" | "group" | "retire";

interface Props {
  machines: readonly Equipment[];
  onClose: () => void;
}

export function BulkDialogs({ action, ...props }: Props & { action: BulkAction }) {
  switch (action) {
    case "serviced":
      return <ServicedDialog {...props} />;
    case "taskSet":
      return (
        <ChooseSetDialog
          equipmentIds={props.machines.map(({ id }) => id)}
          onClose={props.onClose}
        />
      );
    case "type":
      return <TypeDialog {...props} />;
    case "group":
      return <GroupDialog {...props} />;
    case "retire":
      return <RetireDialog {...props} />;
  }
}

const servicedSchema = v.object({
  performedAt: v.pipe(
    v.string(),
    v.check(
      (date) => date === "" || readDate(date) !== null,
      key("equipment-form.fields.dateInvalid"),
    ),
  ),
  notes: v.string(),
});
type ServicedValues = v.InferOutput<typeof servicedSchema>;

function ServicedDialog({ machines, onClose }: Props) {
  const { t } = useTranslation();
  const today = useCompanyDay();
  const form = useAppForm(servicedSchema, { performedAt: "", notes: "" });
  // A repeat sends the same tasks: those of a service whose response was lost are no longer due.
  const chosen = useRef(new Map<string, string[]>());
  const bulk = useBulk<ServicedValues>(
    machines,
    async (transport, { id, moreTasks }, { performedAt, notes }) => {
      const due = chosen.current.has(id) || moreTasks === 0 ? [] : await dueTasks(transport, id);
      const taskIds = chosen.current.get(id) ?? due.map((task) => task.id);
      chosen.current.set(id, taskIds);
      return callUnaryMethod(transport, markServiced, {
        id,
        performedAt,
        notes: notes.trim(),
        taskIds,
      });
    },
    onClose,
  );
  const count = bulk.rows.length;
  return (
    <BulkForm
      form={form}
      bulk={bulk}
      onClose={onClose}
      title={t("equipment-bulk.serviced.title", { count })}
      text={t("equipment-bulk.serviced.text")}
      submit={t("equipment-bulk.serviced.submit", { count })}
    >
      <DateField
        control={form.control}
        name="performedAt"
        label={t("equipment-dialogs.serviced.date")}
        hint={t("equipment-dialogs.serviced.dateHint")}
        optional
        max={today}
      />
      <TextAreaField
        control={form.control}
        name="notes"
        label={t("equipment-dialogs.serviced.notes")}
        optional
      />
    </BulkForm>
  );
}

const typeSchema = v.object({ type: v.picklist(equipmentTypes) });
type TypeValues = v.InferOutput<typeof typeSchema>;

function TypeDialog({ machines, onClose }: Props) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const form = useAppForm<TypeValues>(typeSchema, { type: "machinery" });
  const bulk = useBulk<TypeValues>(
    machines,
    (transport, { id }, { type }) =>
      callUnaryMethod(transport, updateEquipment, { id, equipment: { type: typeOnWire[type] } }),
    onClose,
  );
  const count = bulk.rows.length;
  return (
    <BulkForm
      form={form}
      bulk={bulk}
      onClose={onClose}
      title={t("equipment-bulk.type.title", { count })}
      submit={t("equipment-bulk.type.submit", { count })}
    >
      <SelectField
        control={form.control}
        name="type"
        label={t("equipment.columns.type")}
        options={equipmentTypes.map((value) => ({ value, label: labels.type(value) }))}
      />
    </BulkForm>
  );
}

const groupSchema = v.object({ group: v.pipe(v.string(), v.trim()) });
type GroupValues = v.InferOutput<typeof groupSchema>;

function GroupDialog({ machines, onClose }: Props) {
  const { t } = useTranslation();
  const form = useAppForm<GroupValues>(groupSchema, { group: "" });
  const bulk = useBulk<GroupValues>(
    machines,
    (transport, { id }, { group }) =>
      callUnaryMethod(transport, updateEquipment, { id, equipment: { group } }),
    onClose,
  );
  const count = bulk.rows.length;
  const clears = form.watch("group").trim() === "";
  return (
    <BulkForm
      form={form}
      bulk={bulk}
      onClose={onClose}
      title={t("equipment-bulk.group.title", { count })}
      submit={
        clears
          ? t("equipment-bulk.group.clear", { count })
          : t("equipment-bulk.group.submit", { count })
      }
    >
      <GroupField control={form.control} name="group" hint={t("equipment-bulk.group.hint")} />
    </BulkForm>
  );
}

const retireSchema = v.object({ retirementNotes: v.string(), rejectWaiting: v.boolean() });
type RetireValues = v.InferOutput<typeof retireSchema>;

function RetireDialog({ machines, onClose }: Props) {
  const { t } = useTranslation();
  const refreshUpdates = useRefreshUpdates();
  const form = useAppForm(retireSchema, { retirementNotes: "", rejectWaiting: false });
  const waitingOf = useRef<ReadonlyMap<string, readonly string[]>>(new Map());
  const bulk = useBulk<RetireValues>(
    machines,
    async (transport, { id }, { retirementNotes, rejectWaiting: rejects }) => {
      // Machine by machine: a machine that is not reached keeps its updates.
      const waiting = rejects ? (waitingOf.current.get(id) ?? []) : [];
      await rejectWaiting(transport, waiting, t("updates.rejectReasons.machineGone"));
      return callUnaryMethod(transport, retireEquipment, {
        id,
        retirementNotes: retirementNotes.trim(),
      });
    },
    onClose,
  );
  const open = useOpenMatters(bulk.rows);
  const waiting = open.data?.flatMap((matter) => matter.waiting) ?? [];
  const run = async (values: RetireValues) => {
    waitingOf.current = new Map(open.data?.map((matter) => [matter.equipment.id, matter.waiting]));
    await bulk.run(values);
    if (values.rejectWaiting) void refreshUpdates();
  };
  const count = bulk.rows.length;
  return (
    <BulkForm
      form={form}
      bulk={{ ...bulk, run }}
      onClose={onClose}
      title={t("equipment-bulk.retire.title", { count })}
      text={t("equipment-bulk.retire.text")}
      submit={t("equipment-bulk.retire.submit", { count })}
      danger
      disabledReason={open.isPending ? t("equipment-detail.open.loading") : undefined}
    >
      <OpenMattersNotice open={open} named>
        <CheckboxField
          control={form.control}
          name="rejectWaiting"
          label={t("equipment-detail.open.reject", { count: waiting.length })}
        />
      </OpenMattersNotice>
      <TextAreaField
        control={form.control}
        name="retirementNotes"
        label={t("equipment-dialogs.retire.notes")}
        optional
        rows={2}
      />
    </BulkForm>
  );
}

/** The form of an action, with the machines that failed and why. */
function BulkForm<Values extends Record<string, unknown>>({
  form,
  bulk,
  onClose,
  title,
  text,
  submit,
  danger = false,
  disabledReason,
  children,
}: {
  form: UseFormReturn<Values>;
  bulk: ReturnType<typeof useBulk<Values>>;
  onClose: () => void;
  title: string;
  text?: string;
  submit: string;
  danger?: boolean;
  /** Why the form cannot be submitted yet. */
  disabledReason?: string | undefined;
  children: ReactNode;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const { failed, progress, rows } = bulk;
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={title}
      description={text}
      onSubmit={form.handleSubmit((values) => bulk.run(values))}
      loading={progress !== null}
      submitError={null}
      disabledReason={disabledReason}
      submitLabel={failed.length > 0 ? t("equipment-bulk.retry", { count: failed.length }) : submit}
      submitTone={danger ? "danger" : "primary"}
      pendingLabel={t("equipment-bulk.progress", { done: progress ?? 0, total: rows.length })}
    >
      {children}
      {failed.length > 0 && progress === null && (
        <div role="alert" className="rounded-(--control-radius) border border-danger px-3.5 py-2.5">
          <p className="font-semibold text-danger">
            {t("equipment-bulk.failed", { count: failed.length })}
          </p>
          <ul className="mt-1 space-y-1 text-sm">
            {failed.map(({ row, error }) => (
              <li key={row.id} className="wrap-anywhere">
                <span className="font-semibold">{row.name}</span>: {errorText(error)}
              </li>
            ))}
          </ul>
        </div>
      )}
    </FormDialog>
  );
}
