import { ArrowRight } from "lucide-react";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { afterMeterEnd, nextRollover } from "#/domain/dial";
import { useUpdateText } from "#/shared/words/update-text";
import { useFormat } from "#/shared/format/use-format";
import { NumberField } from "#/shared/form/fields/number-field";
import { FormDialog } from "#/shared/form/form-dialog";
import { useAppForm } from "#/shared/form/use-app-form";
import { Segmented } from "#/shared/ui/segmented";
import type { Decisions } from "../use-decisions";
import { changeOnWire, meterSchema, type ChangeKind, type MeterValues } from "./meter-change";
import { readingOf } from "./reading";

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
  const [kind, setKind] = useState(initial);
  const [failed, setFailed] = useState(false);
  const unit = equipment?.unit;
  const dial = equipment?.meterReading ?? update.previousUsage ?? 0;
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
      submitLabel={t("review.meter.submit")}
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
      <NumberField
        control={form.control}
        name="final"
        label={kind === "replaced" ? t("review.meter.final") : t("review.meter.highest")}
        {...(kind === "rolledOver" && { hint: t("review.meter.highestHint") })}
        {...(unitName && { unit: unitName })}
      />
      {kind === "replaced" && (
        <NumberField
          control={form.control}
          name="start"
          label={t("review.meter.start")}
          {...(unitName && { unit: unitName })}
        />
      )}
      <Preview
        life={equipment?.currentUsage ?? dial}
        dial={dial}
        reading={reading}
        values={form.watch()}
        unit={unit}
      />
    </FormDialog>
  );
}

function Preview({
  life,
  dial,
  reading,
  values,
  unit,
}: {
  life: number;
  dial: number;
  reading: number;
  values: MeterValues;
  unit: Equipment["unit"] | undefined;
}) {
  const { t } = useTranslation();
  const text = useUpdateText();
  const format = useFormat();
  const final = readingOf(values.final);
  const start = readingOf(values.start);
  const isComplete = final !== null && start !== null && final >= dial && start <= reading;
  const after = isComplete
    ? afterMeterEnd({ currentUsage: life, meterReading: dial }, { final, start, reading })
        .currentUsage
    : null;
  return (
    <div className="rounded-card border border-line bg-sunken px-4 py-3">
      <dl aria-live="polite" className="grid gap-x-4 gap-y-2 sm:grid-cols-2">
        <Fact term={t("review.meter.previewDial")}>
          {format.number(dial)} <Arrow /> {text.reading(reading, unit)}
        </Fact>
        <Fact term={t("review.meter.previewLife")}>
          {format.number(life)} <Arrow /> {after === null ? "–" : text.reading(after, unit)}
          {after !== null && (
            <span className="block text-sm font-normal text-muted">
              {text.difference(life, after, unit)}
            </span>
          )}
        </Fact>
      </dl>
      <p className="mt-2 text-sm text-muted">{t("review.meter.note")}</p>
    </div>
  );
}

function Fact({ term, children }: { term: string; children: ReactNode }) {
  return (
    <div>
      <dt className="text-sm text-muted">{term}</dt>
      <dd className="font-semibold">{children}</dd>
    </div>
  );
}

function Arrow() {
  return <ArrowRight aria-hidden className="inline size-3.5 text-muted" />;
}
