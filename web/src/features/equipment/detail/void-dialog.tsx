import { useNavigate } from "@tanstack/react-router";
import type { TFunction } from "i18next";
import { useTranslation } from "react-i18next";
import * as v from "valibot";
import { useErrorText } from "#/api/error-text";
import { toFailure } from "#/api/errors";
import {
  EquipmentService,
  HistoryKind,
  type Equipment,
  type HistoryRecord,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { unitWord } from "#/domain/equipment-wire";
import { useWrite } from "#/shared/form/use-write";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { key } from "#/i18n/key";
import { FormDialog } from "#/shared/form/form-dialog";
import { CheckboxField } from "#/shared/form/fields/checkbox-field";
import { TextAreaField } from "#/shared/form/fields/text-area-field";
import { showFieldErrors, useAppForm } from "#/shared/form/use-app-form";
import { toast } from "#/shared/toast/store";
import { useRefreshEquipment } from "../queries";
import { useRecordWords } from "./use-record-words";
import { VoidEffect } from "./void-effect";

const longestReason = 500;

const voidSchema = v.object({
  reason: v.pipe(
    v.string(),
    v.check((text) => text.trim() !== "", key("equipment-detail.void.reasonRequired")),
    v.check((text) => text.trim().length <= longestReason, key("equipment-detail.void.reasonLong")),
  ),
  reenter: v.boolean(),
});

/** Explains the effect before an entry is voided. */
export function VoidDialog({
  equipment,
  record,
  hasOtherTasks,
  onReenter,
  onClose,
}: {
  equipment: Equipment;
  record: HistoryRecord;
  /** Whether other tasks of the same service remain. */
  hasOtherTasks: boolean;
  /** Called after the void if the right entry is to be made now. */
  onReenter: (equipment: Equipment) => void;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const words = useRecordWords();
  const errorText = useErrorText();
  const refresh = useRefreshEquipment();
  const navigate = useNavigate();
  const unit = unitWord(equipment.unit);
  const form = useAppForm(voidSchema, { reason: "", reenter: false });
  const voiding = useWrite(EquipmentService.method.voidEntry, {
    onSuccess: ({ equipment: now }) => {
      // The record does not name its update; the one taken back last is the first of the list.
      const toReview = {
        label: t("shell.titles.review"),
        run: () =>
          void navigate({ to: "/review", search: { tab: "decided", decision: "taken_back" } }),
      };
      toast.success(
        t("equipment-detail.void.done"),
        now && now.meterReading !== equipment.meterReading
          ? now.meterReadAt || now.meterReading > 0
            ? t("equipment-detail.void.doneText", {
                name: equipment.name,
                amount: labels.amount(now.meterReading, unit),
              })
            : t("equipment-detail.void.doneNoReading", { name: equipment.name })
          : equipment.name,
        record.fromOperator ? toReview : undefined,
      );
      onClose();
      if (now && form.getValues().reenter) onReenter(now);
      void refresh(now);
    },
    onError: (error) => {
      showFieldErrors(form, error, ["reason"]);
      // Someone else was faster, so the screen is outdated.
      if (toFailure(error).status === 409) void refresh();
    },
  });
  const what = [
    words.title(record),
    words.meter(record),
    words.fuel(record),
    words.happened(record),
  ];
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t("equipment-detail.void.title")}
      description={what.filter((part) => part !== "").join(" · ")}
      onSubmit={form.handleSubmit(({ reason }) =>
        voiding.mutate({
          equipmentId: equipment.id,
          entryId: record.id,
          reason: reason.trim(),
        }),
      )}
      loading={voiding.isPending}
      submitError={
        voiding.error &&
        (refusal(t, voiding.error) ?? errorText(voiding.error, "equipment-detail.void.failed"))
      }
      submitLabel={
        form.watch("reenter")
          ? t("equipment-detail.void.submitReenter")
          : t("equipment-detail.void.submit")
      }
      submitTone="danger"
      pendingLabel={t("equipment-detail.void.pending")}
    >
      <div className="rounded-card border border-line bg-sunken px-4 py-3">
        <VoidEffect equipment={equipment} record={record} />
        {record.cost !== undefined && (
          <p className="mt-1 font-semibold">
            {t("equipment-detail.void.cost", { cost: words.cost(record) })}{" "}
            {hasOtherTasks && t("equipment-detail.void.costElsewhere")}
          </p>
        )}
      </div>
      <TextAreaField
        control={form.control}
        name="reason"
        label={t("equipment-detail.void.reason")}
        hint={
          record.fromOperator
            ? `${t("equipment-detail.void.reasonHint")} ${t("equipment-detail.void.operatorHint")}`
            : t("equipment-detail.void.reasonHint")
        }
        maxLength={longestReason}
        rows={2}
      />
      {/* An operator's update is applied again under Review instead. */}
      {record.kind === HistoryKind.USAGE && !record.fromOperator && (
        <CheckboxField
          control={form.control}
          name="reenter"
          label={t("equipment-detail.void.reenter")}
        />
      )}
    </FormDialog>
  );
}

function refusal(t: TFunction, error: unknown): string | null {
  switch (toFailure(error).code) {
    case "NOT_VOIDABLE":
      return t("equipment-detail.void.notVoidable");
    case "ALREADY_VOIDED":
      return t("equipment-detail.void.alreadyVoided");
    case "EQUIPMENT_RETIRED":
      return t("equipment-detail.void.retired");
    default:
      return null;
  }
}
