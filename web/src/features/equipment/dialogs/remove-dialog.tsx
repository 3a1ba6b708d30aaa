import { useState } from "react";
import { useTranslation } from "react-i18next";
import * as v from "valibot";
import { useErrorText } from "#/api/error-text";
import { EquipmentService, type Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { FormDialog } from "#/shared/form/form-dialog";
import { TextAreaField } from "#/shared/form/fields/text-area-field";
import { useAppForm } from "#/shared/form/use-app-form";
import { useWrite } from "#/shared/form/use-write";
import { toast } from "#/shared/toast/store";
import { AlertDialog } from "#/shared/ui/alert-dialog";
import { Badge } from "#/shared/ui/badge";
import { Notice } from "#/shared/ui/notice";
import { useRefreshEquipment } from "../queries";
import { OpenMatters } from "./open-matters";
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
  const { waiting, due } = useOpenMatters(equipment.id);
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
    onSuccess: () => finish(t("equipment.retire.done"), t("equipment.retire.doneText", { name })),
    onError: () => toast.failure(t("equipment.error"), t("equipment.retire.failed")),
  });
  const remove = useWrite(EquipmentService.method.deleteEquipment, {
    onSuccess: () => finish(t("equipment.delete.done"), t("equipment.delete.doneText", { name })),
    onError: () => toast.failure(t("equipment.error"), t("equipment.delete.failed")),
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
      notRejected ?? (remove.error && errorText(remove.error, "equipment.delete.failed"));
    return (
      <AlertDialog
        open
        onOpenChange={() => setSure(false)}
        title={t("equipment.delete.sure", { name })}
        description={t("equipment.delete.sureText")}
        confirmLabel={t("equipment.delete.confirm")}
        pendingLabel={t("equipment.delete.pending")}
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
      title={t("equipment.delete.title", { name })}
      description={t("equipment.delete.text")}
      onSubmit={form.handleSubmit((values) =>
        values.way === "delete"
          ? setSure(true)
          : start(() => retire.mutate({ id, retirementNotes: retirementNotes.trim() })),
      )}
      loading={retire.isPending || rejecting.isPending}
      submitError={
        notRejected ?? (retire.error && errorText(retire.error, "equipment.retire.failed"))
      }
      submitLabel={way === "delete" ? t("equipment.delete.submit") : t("equipment.retire.submit")}
      submitTone={way === "delete" ? "danger" : "primary"}
      pendingLabel={t("equipment.retire.pending")}
    >
      <OpenMatters control={form.control} waiting={waiting} due={due} />
      <RemoveChoice
        control={form.control}
        value="retire"
        label={
          <>
            {t("equipment.retire.option")} <Badge>{t("equipment.retire.recommended")}</Badge>
          </>
        }
        text={t("equipment.retire.optionText")}
      >
        {way === "retire" && (
          <TextAreaField
            control={form.control}
            name="retirementNotes"
            label={t("equipment.retire.notes")}
            optional
            rows={2}
          />
        )}
      </RemoveChoice>
      <RemoveChoice
        control={form.control}
        value="delete"
        label={t("equipment.delete.option")}
        text={t("equipment.delete.optionText")}
      />
    </FormDialog>
  );
}
