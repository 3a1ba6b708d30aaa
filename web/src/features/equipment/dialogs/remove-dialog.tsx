import { useState } from "react";
import { useTranslation } from "react-i18next";
import * as v from "valibot";
import { useErrorText } from "#/api/error-text";
import { EquipmentService, type Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { FormDialog } from "#/shared/form/form-dialog";
import { CheckboxField } from "#/shared/form/fields/checkbox-field";
import { TextAreaField } from "#/shared/form/fields/text-area-field";
import { useAppForm } from "#/shared/form/use-app-form";
import { useWrite } from "#/shared/form/use-write";
import { toast } from "#/shared/toast/store";
import { AlertDialog } from "#/shared/ui/alert-dialog";
import { Badge } from "#/shared/ui/badge";
import { Notice } from "#/shared/ui/notice";
import { useRefreshEquipment } from "../queries";
import { OpenMattersNotice } from "./open-matters";
import { RemoveChoice, type RemoveValues } from "./remove-choice";
import { useOpenMatters } from "./use-open-matters";
import { useRejectWaiting } from "./use-reject-waiting";

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
  const finish = (title: string, text: string) => {
    toast.success(title, text);
    onClose();
    void refresh();
  };
  const retire = useWrite(EquipmentService.method.retireEquipment, {
    onSuccess: () =>
      finish(t("equipment-dialogs.retire.done"), t("equipment-dialogs.retire.doneText", { name })),
    onError: () => toast.failure(t("equipment.error"), t("equipment-dialogs.retire.failed")),
  });
  const remove = useWrite(EquipmentService.method.deleteEquipment, {
    onSuccess: () =>
      finish(t("equipment-dialogs.delete.done"), t("equipment-dialogs.delete.doneText", { name })),
    onError: () => toast.failure(t("equipment.error"), t("equipment-dialogs.delete.failed")),
  });
  const rejecting = useRejectWaiting();
  /** Waiting updates are rejected first, if the manager chose so. */
  const start = (change: () => void) =>
    rejectWaiting && waiting.length > 0
      ? rejecting.mutate(waiting, { onSuccess: change })
      : change();
  const notRejected = rejecting.error && errorText(rejecting.error, "equipment-detail.open.failed");
  if (sure) {
    const reason =
      notRejected ?? (remove.error && errorText(remove.error, "equipment-dialogs.delete.failed"));
    return (
      <AlertDialog
        open
        onOpenChange={() => setSure(false)}
        title={t("equipment-dialogs.delete.sure", { name })}
        description={t("equipment-dialogs.delete.sureText")}
        confirmLabel={t("equipment-dialogs.delete.confirm")}
        pendingLabel={t("equipment-dialogs.delete.pending")}
        pending={remove.isPending || rejecting.isPending}
        onConfirm={() => start(() => remove.mutate({ id }))}
      >
        {reason && (
          <div className="mt-3">
            <Notice tone="danger">{reason}</Notice>
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
        values.way === "delete"
          ? setSure(true)
          : start(() => retire.mutate({ id, retirementNotes: retirementNotes.trim() })),
      )}
      loading={retire.isPending || rejecting.isPending}
      disabledReason={open.isPending ? t("equipment-detail.open.loading") : undefined}
      submitError={
        notRejected ?? (retire.error && errorText(retire.error, "equipment-dialogs.retire.failed"))
      }
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
