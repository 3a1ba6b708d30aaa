import { useState } from "react";
import { useTranslation } from "react-i18next";
import * as v from "valibot";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { useUpdateText } from "#/domain/update-text";
import { key } from "#/i18n/key";
import { hasAtMostTwoDecimals, parseDecimal } from "#/shared/form/decimal";
import { NumberField } from "#/shared/form/fields/number-field";
import { FormDialog } from "#/shared/form/form-dialog";
import { useAppForm } from "#/shared/form/use-app-form";
import { Button } from "#/shared/ui/button";
import type { Review } from "./use-review";

const replaceSchema = v.object({
  reading: v.pipe(
    v.string(),
    v.check((text) => {
      const value = parseDecimal(text);
      return value !== null && value >= 0 && value <= 1e9 && hasAtMostTwoDecimals(value);
    }, key("updates.replace.invalid")),
  ),
});

/** A reading below the meter never lowers it by itself: the manager replaces the meter, or rejects. */
export function ReplaceDialog({
  update,
  equipment,
  review,
  onClose,
  onReject,
}: {
  update: OperatorUpdate;
  equipment: Equipment | undefined;
  review: Review;
  onClose: () => void;
  onReject: () => void;
}) {
  const { t } = useTranslation();
  const text = useUpdateText();
  const [failed, setFailed] = useState(false);
  const unit = text.unitName(equipment?.unit);
  const reported = update.newUsage ?? 0;
  const form = useAppForm(replaceSchema, { reading: String(reported) });
  const busy = review.isBusy(update.id);

  const submit = async ({ reading }: { reading: string }) => {
    const value = parseDecimal(reading);
    if (value === null) return;
    setFailed(false);
    const decision = await review.apply(update, value);
    if (decision === "done") onClose();
    else setFailed(decision !== null);
  };
  return (
    <FormDialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title={t("updates.replace.title")}
      description={t("updates.replace.text", {
        name: update.equipmentName,
        operator: update.operatorName,
        meter: text.reading(equipment?.currentUsage ?? update.previousUsage ?? 0, equipment?.unit),
        reading: text.reading(reported, equipment?.unit),
      })}
      onSubmit={form.handleSubmit(submit)}
      loading={busy}
      submitError={failed ? (review.problemOf(update.id) ?? t("errors.server")) : null}
      submitLabel={t("updates.replace.submit")}
      pendingLabel={t("updates.replace.pending")}
    >
      <NumberField
        control={form.control}
        name="reading"
        label={unit ? t("updates.replace.readingUnit", { unit }) : t("updates.replace.reading")}
      />
      <Button variant="danger" onClick={busy ? undefined : onReject}>
        {t("updates.replace.reject")}
      </Button>
    </FormDialog>
  );
}
