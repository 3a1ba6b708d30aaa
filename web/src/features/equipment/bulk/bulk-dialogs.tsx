import { callUnaryMethod } from "@connectrpc/connect-query";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import * as v from "valibot";
import { EquipmentService } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { CheckboxField } from "#/shared/form/fields/checkbox-field";
import { TextAreaField } from "#/shared/form/fields/text-area-field";
import { useAppForm } from "#/shared/form/use-app-form";
import { nameOf } from "#/shared/table/use-list-selection";
import { OpenMattersNotice } from "../dialogs/open-matters";
import { useOpenMatters } from "../dialogs/use-open-matters";
import { rejectWaiting, useRefreshUpdates } from "../dialogs/use-reject-waiting";
import { undoRetirement } from "../dialogs/use-undo-changes";
import { ChooseSetDialog } from "../task-sets/choose-set-dialog";
import { BulkForm, type BulkProps } from "./bulk-form";
import { GroupDialog, OperationalDialog, TypeDialog } from "./change-dialogs";
import { ServicedDialog } from "./serviced-many";
import { SnoozeDialog } from "./snooze-many";
import { useBulk } from "./use-bulk";

const { retireEquipment } = EquipmentService.method;

export type BulkAction =
  | "serviced"
  | "snooze"
  | "taskSet"
  | "type"
  | "group"
  | "operational"
  | "retire";

export function BulkDialogs({ action, ...props }: BulkProps & { action: BulkAction }) {
  switch (action) {
    case "serviced":
      return <ServicedDialog {...props} />;
    case "snooze":
      return <SnoozeDialog {...props} />;
    case "taskSet":
      return (
        <ChooseSetDialog
          equipmentIds={props.machines.map(({ id }) => id)}
          onClose={props.onClose}
          onDone={props.onDone}
        />
      );
    case "type":
      return <TypeDialog {...props} />;
    case "group":
      return <GroupDialog {...props} />;
    case "operational":
      return <OperationalDialog {...props} />;
    case "retire":
      return <RetireDialog {...props} />;
  }
}

const retireSchema = v.object({ retirementNotes: v.string(), rejectWaiting: v.boolean() });
type RetireValues = v.InferOutput<typeof retireSchema>;

function RetireDialog({ machines, onClose, onDone }: BulkProps) {
  const { t } = useTranslation();
  const refreshUpdates = useRefreshUpdates();
  const form = useAppForm(retireSchema, { retirementNotes: "", rejectWaiting: false });
  const waitingOf = useRef<ReadonlyMap<string, readonly string[]>>(new Map());
  // A repeat after the rejection has nothing left to reject.
  const rejectedOf = useRef(new Map<string, readonly string[]>());
  const bulk = useBulk<RetireValues>(
    machines,
    async (transport, { id }, { retirementNotes, rejectWaiting: rejects }) => {
      // Machine by machine: a machine that is not reached keeps its updates.
      const waiting = rejects ? (waitingOf.current.get(id) ?? []) : [];
      const reason = t("review.reasons.machineGone");
      const earlier = rejectedOf.current.get(id) ?? [];
      const rejected = [...earlier, ...(await rejectWaiting(transport, waiting, reason))];
      rejectedOf.current.set(id, rejected);
      const { retired } = await callUnaryMethod(transport, retireEquipment, {
        id,
        retirementNotes: retirementNotes.trim(),
      });
      return retired && undoRetirement(retired.id, [...new Set(rejected)]);
    },
    onDone,
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
      <p className="max-h-40 overflow-y-auto wrap-anywhere">{bulk.rows.map(nameOf).join(", ")}</p>
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
