import { timestampDate } from "@bufbuild/protobuf/wkt";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { nextRollover, type MeterEnd } from "#/domain/meter-end";
import { useUpdateText } from "#/shared/words/update-text";
import { useFormat } from "#/shared/format/use-format";
import { NumberField } from "#/shared/form/fields/number-field";
import { FormDialog } from "#/shared/form/form-dialog";
import { MeterEndPreview } from "#/shared/meter-end/meter-end-preview";
import { useAppForm } from "#/shared/form/use-app-form";
import { Button } from "#/shared/ui/button";
import { Segmented } from "#/shared/ui/segmented";
import { isLate } from "../late";
import type { Decisions } from "../use-decisions";
import { changeOnWire, meterSchema, type ChangeKind, type MeterValues } from "./meter-change";
import { readingOf } from "./reading";
import { useWaitingAbove } from "./use-waiting-above";

/** Applies a reading of a replaced or rolled-over meter, with a preview. */
export function MeterDialog({
  update,
  equipment,
  initial,
  decisions,
  onClose,
}: {
  update: OperatorUpdate;
  equipment: Equipment | undefined;
  initial: ChangeKind;
  decisions: Decisions;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const text = useUpdateText();
  const format = useFormat();
  const [kind, setKind] = useState(initial);
  const [failed, setFailed] = useState(false);
  const unit = equipment?.unit;
  // Today's meter may be the new one already.
  const late = isLate(update, equipment);
  const dial = (late ? undefined : equipment?.meterReading) ?? update.previousUsage ?? 0;
  const reading = update.newUsage ?? 0;
  const finalOf = (next: ChangeKind) => String(next === "replaced" ? dial : nextRollover(dial));
  const form = useAppForm(meterSchema, { final: finalOf(initial), start: "0" });
  const change = (next: ChangeKind) => {
    setKind(next);
    form.reset({ final: finalOf(next), start: "0" });
  };
  const submit = async (values: MeterValues) => {
    const final = readingOf(values.final) ?? 0;
    const start = readingOf(values.start) ?? 0;
    const figures = { meter: text.reading(dial, unit), reading: text.reading(reading, unit) };
    if (final < dial) {
      return form.setError("final", { message: t("review.meter.finalLow", figures) });
    }
    if (start > reading) {
      return form.setError("start", { message: t("review.meter.startHigh", figures) });
    }
    setFailed(false);
    const meterReplacement = {
      change: changeOnWire[kind],
      finalReading: final,
      startReading: start,
    };
    if (await decisions.apply(update, { meterReplacement })) onClose();
    else setFailed(true);
  };
  const unitName = text.unitName(unit);
  // Readings up to the rollover are no surprise.
  const end = kind === "replaced" ? dial : Math.max(dial, readingOf(form.watch("final")) ?? dial);
  const above = useWaitingAbove(update, end);
  const captured = update.capturedAt ?? update.createdAt;
  return (
    <FormDialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      title={
        kind === "replaced" ? t("review.meter.titleReplaced") : t("review.meter.titleRolledOver")
      }
      description={t("review.meter.text", {
        name: update.equipmentName,
        operator: update.operatorName,
        meter: text.reading(dial, unit),
        reading: text.reading(reading, unit),
      })}
      onSubmit={form.handleSubmit(submit)}
      loading={decisions.isBusy(update.id)}
      submitError={failed ? (decisions.problemOf(update.id) ?? t("errors.server")) : null}
      submitLabel={
        kind === "replaced" ? t("review.meter.submit") : t("review.meter.submitRolledOver")
      }
      pendingLabel={t("review.meter.pending")}
    >
      <Segmented
        label={t("review.meter.kind")}
        value={kind}
        options={[
          { value: "replaced", label: t("review.meter.replaced") },
          { value: "rolledOver", label: t("review.meter.rolledOver") },
        ]}
        onChange={change}
      />
      <div className="space-y-2">
        <NumberField
          control={form.control}
          name="final"
          label={kind === "replaced" ? t("review.meter.final") : t("review.meter.highest")}
          {...(kind === "rolledOver" && { hint: t("review.meter.highestHint") })}
          {...(above && {
            hint: t("review.meter.waiting", {
              operator: above.operatorName,
              reading: text.amount(above.newUsage, unit),
              when: format.instant(timestampDate(above.capturedAt)),
            }),
          })}
          {...(unitName && { unit: unitName })}
        />
        {above && kind === "replaced" && (
          <Button
            size="small"
            onClick={() => form.setValue("final", String(above.newUsage), { shouldValidate: true })}
          >
            {t("review.meter.use", { reading: text.amount(above.newUsage, unit) })}
          </Button>
        )}
      </div>
      {kind === "replaced" && (
        <NumberField
          control={form.control}
          name="start"
          label={t("review.meter.start")}
          {...(unitName && { unit: unitName })}
        />
      )}
      {equipment && captured && !late && (
        <MeterEndPreview
          equipment={equipment}
          way={kind}
          end={endOf(form.watch(), dial, reading)}
          at={timestampDate(captured)}
        />
      )}
    </FormDialog>
  );
}

/** Null while the values are invalid. */
function endOf(values: MeterValues, dial: number, reading: number): MeterEnd | null {
  const final = readingOf(values.final);
  const start = readingOf(values.start);
  const fits = final !== null && start !== null && final >= dial && start <= reading;
  return fits ? { final, start, reading } : null;
}
