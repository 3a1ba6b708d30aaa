import { callUnaryMethod } from "@connectrpc/connect-query";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import * as v from "valibot";
import { useErrorText } from "#/api/error-text";
import { EquipmentService, type Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { FormDialog } from "#/shared/form/form-dialog";
import { CheckboxField } from "#/shared/form/fields/checkbox-field";
import { TextAreaField } from "#/shared/form/fields/text-area-field";
import { useAppForm } from "#/shared/form/use-app-form";
import { useWrite, useWriteTransport } from "#/shared/form/use-write";
import { toast, type ToastAction } from "#/shared/toast/store";
import { AlertDialog } from "#/shared/ui/alert-dialog";
import { Badge } from "#/shared/ui/badge";
import { Notice } from "#/shared/ui/notice";
import { useRefreshEquipment } from "../queries";
import { OpenMattersNotice } from "./open-matters";
import { RemoveChoice, type RemoveValues } from "./remove-choice";
import { useDeletedText } from "./use-deleted-text";
import { useOpenMatters } from "./use-open-matters";
import { useRejectWaiting } from "./use-reject-waiting";
import { undoRetirement, useUndoChanges } from "./use-undo-changes";

const removeSchema = v.object({
  way: v.picklist(["retire", "delete"]),
  retirementNotes: v.string(),
  rejectWaiting: v.boolean(),
});

/** Retiring is recommended because it keeps notes and history; deleting asks for confirmation. */
export function RemoveDialog({
  equipment,
  onClose,
}: {
  equipment: Equipment;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const refresh = useRefreshEquipment();
  const [sure, setSure] = useState(false);
  const open = useOpenMatters([equipment]);
  const waiting = open.data?.flatMap((matter) => matter.waiting) ?? [];
  const form = useAppForm<RemoveValues>(removeSchema, {
    way: "retire",
    retirementNotes: "",
    rejectWaiting: false,
  });
  const { way, rejectWaiting, retirementNotes } = form.watch();
  const { name, id } = equipment;
  const deletedText = useDeletedText(id, way === "delete");
  const rejecting = useRejectWaiting();
  const undoAction = useUndoChanges();
  const finish = (title: string, text: string, undo?: ToastAction) => {
    toast.success(title, text, undo);
    onClose();
    void refresh();
  };
  const transport = useWriteTransport();
  const retire = useMutation({
    mutationFn: (_rejected: readonly string[]) =>
      callUnaryMethod(transport, EquipmentService.method.retireEquipment, {
        id,
        retirementNotes: retirementNotes.trim(),
      }),
    onSuccess: ({ retired }, rejected) =>
      finish(
        t("equipment-dialogs.retire.done"),
        t("equipment-dialogs.retire.doneText", { name }),
        retired && undoAction([undoRetirement(retired.id, rejected)]),
      ),
    onError: () =>
      toast.failure(t("equipment-dialogs.error"), t("equipment-dialogs.retire.failed")),
  });
  const remove = useWrite(EquipmentService.method.deleteEquipment, {
    onSuccess: () =>
      finish(t("equipment-dialogs.delete.done"), t("equipment-dialogs.delete.doneText", { name })),
    onError: () =>
      toast.failure(t("equipment-dialogs.error"), t("equipment-dialogs.delete.failed")),
  });
  /** Waiting updates are rejected first, if the manager chose so. */
  const start = (change: (rejected: readonly string[]) => void) => {
    if (rejectWaiting && waiting.length > 0) {
      rejecting.mutate(waiting, { onSuccess: (rejected) => change(rejected) });
      // A repeat after the rejection has nothing left to reject.
    } else change(rejecting.data ?? []);
  };
  const notRejected = rejecting.error && errorText(rejecting.error, "equipment-detail.open.failed");
  if (sure) {
    const reason =
      notRejected ?? (remove.error && errorText(remove.error, "equipment-dialogs.delete.failed"));
    return (
      <AlertDialog
        open
        onOpenChange={() => setSure(false)}
        title={t("equipment-dialogs.delete.sure", { name })}
        description={deletedText}
        confirmLabel={t("equipment-dialogs.delete.confirm")}
        pendingLabel={t("equipment-dialogs.delete.pending")}
        pending={remove.isPending || rejecting.isPending}
        onConfirm={() => start(() => remove.mutate({ id }))}
      >
        {reason && (
          <div className="mt-3">
            <Notice tone="danger" announced={Boolean(notRejected)}>
              {reason}
            </Notice>
          </div>
        )}
      </AlertDialog>
    );
  }
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t("equipment-dialogs.delete.title", { name })}
      description={t("equipment-dialogs.delete.text")}
      onSubmit={form.handleSubmit((values) =>
        values.way === "delete" ? setSure(true) : start(retire.mutate),
      )}
      loading={retire.isPending || rejecting.isPending}
      disabledReason={open.isPending ? t("equipment-detail.open.loading") : undefined}
      submitError={
        notRejected ?? (retire.error && errorText(retire.error, "equipment-dialogs.retire.failed"))
      }
      toasted={!notRejected}
      submitLabel={
        way === "delete"
          ? t("equipment-dialogs.delete.submit")
          : t("equipment-dialogs.retire.submit")
      }
      submitTone={way === "delete" ? "danger" : "primary"}
      pendingLabel={t("equipment-dialogs.retire.pending")}
    >
      <OpenMattersNotice open={open}>
        <CheckboxField
          control={form.control}
          name="rejectWaiting"
          label={t("equipment-detail.open.reject", { count: waiting.length })}
        />
      </OpenMattersNotice>
      <RemoveChoice
        control={form.control}
        value="retire"
        label={
          <>
            {t("equipment-dialogs.retire.option")}{" "}
            <Badge>{t("equipment-dialogs.retire.recommended")}</Badge>
          </>
        }
        text={t("equipment-dialogs.retire.optionText")}
      >
        {way === "retire" && (
          <TextAreaField
            control={form.control}
            name="retirementNotes"
            label={t("equipment-dialogs.retire.notes")}
            optional
            rows={2}
          />
        )}
      </RemoveChoice>
      <RemoveChoice
        control={form.control}
        value="delete"
        label={t("equipment-dialogs.delete.option")}
        text={t("equipment-dialogs.delete.optionText")}
      />
    </FormDialog>
  );
}
