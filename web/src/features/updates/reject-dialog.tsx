import { useState } from "react";
import { useTranslation } from "react-i18next";
import * as v from "valibot";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { TextAreaField } from "#/shared/form/fields/text-area-field";
import { FormDialog } from "#/shared/form/form-dialog";
import { useAppForm } from "#/shared/form/use-app-form";
import type { Review } from "./use-review";

const rejectSchema = v.object({ reason: v.string() });

export function RejectDialog({
  update,
  review,
  onClose,
}: {
  update: OperatorUpdate;
  review: Review;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const [failed, setFailed] = useState(false);
  const form = useAppForm(rejectSchema, { reason: "" });
  const submit = async ({ reason }: { reason: string }) => {
    setFailed(false);
    const decision = await review.reject(update, reason.trim());
    if (decision === "done") onClose();
    else setFailed(decision !== null);
  };
  return (
    <FormDialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title={t("updates.reject.title")}
      description={t("updates.reject.text", {
        name: update.equipmentName,
        operator: update.operatorName,
      })}
      onSubmit={form.handleSubmit(submit)}
      loading={review.isBusy(update.id)}
      submitError={failed ? (review.problemOf(update.id) ?? t("errors.server")) : null}
      submitLabel={t("updates.reject.submit")}
      pendingLabel={t("updates.reject.pending")}
    >
      <TextAreaField
        control={form.control}
        name="reason"
        label={t("updates.reject.reason")}
        placeholder={t("updates.reject.placeholder")}
        maxLength={1000}
        optional
      />
    </FormDialog>
  );
}
