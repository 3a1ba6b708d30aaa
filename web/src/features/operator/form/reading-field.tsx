import { clsx } from "clsx";
import { Plus } from "lucide-react";
import { useState } from "react";
import { useController, type Control } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { key, type TextKey } from "#/i18n/key";
import type { UnitWord } from "#/domain/equipment-words";
import { FieldFrame, inputClass, useField } from "#/shared/form/field-frame";
import { Button } from "#/shared/ui/button";
import { Segmented } from "#/shared/ui/segmented";
import type { LastKnown } from "../offline-data/last-known";
import type { FieldMeter } from "../offline-data/meters";
import { ReadingHint } from "./reading-hint";
import type { UpdateValues } from "./schema";
import { useLastReading } from "./use-last-reading";
import { useMeterText } from "../use-meter-text";

/** What the meter shows, or the hours added to it, under what it showed last. */
export function ReadingField({
  control,
  meter,
  last,
}: {
  control: Control<UpdateValues>;
  meter: FieldMeter | undefined;
  last: LastKnown | undefined;
}) {
  const { t } = useTranslation();
  const [wanted, setWanted] = useState(false);
  const { field: mode } = useController({ control, name: "mode" });
  const { field, fieldState } = useController({ control, name: "reading" });
  const hidden = meter?.unit === "n/a" && !wanted && field.value === "" && !fieldState.error;
  if (hidden) {
    return (
      <Button variant="secondary" wide onClick={() => setWanted(true)}>
        <Plus aria-hidden className="size-5" />
        {t("operator.form.addReading")}
      </Button>
    );
  }
  return (
    <div className="space-y-4">
      {meter && (
        <Segmented
          label={t("operator.form.mode")}
          hideLabel
          value={mode.value}
          onChange={mode.onChange}
          options={[
            { value: "reading", label: t("operator.form.modeReading") },
            { value: "added", label: t(addedLabel(meter.unit)) },
          ]}
        />
      )}
      <ReadingInput control={control} meter={meter} last={last} mode={mode.value} focus={wanted} />
    </div>
  );
}

function ReadingInput({
  control,
  meter,
  last,
  mode,
  focus,
}: {
  control: Control<UpdateValues>;
  meter: FieldMeter | undefined;
  last: LastKnown | undefined;
  mode: UpdateValues["mode"];
  focus: boolean;
}) {
  const { t } = useTranslation();
  const meterText = useMeterText();
  const lastReading = useLastReading();
  const label = t(mode === "added" && meter ? addedLabel(meter.unit) : readingLabel(meter?.unit));
  const typed = useController({ control, name: "reading" }).field.value;
  const hint =
    meter && last ? <ReadingHint meter={meter} last={last} mode={mode} typed={typed} /> : undefined;
  const { field, text, error, aria } = useField({ control, name: "reading", label, hint });
  const unit = meter ? meterText.unit(meter.unit) : "";
  return (
    <FieldFrame id={aria.id} label={label} hint={hint} error={error}>
      {meter && last && (
        <p id={`${aria.id}-last`} className="-mt-0.5 mb-1.5 text-muted">
          {t(last.own ? "operator.form.ownReading" : "operator.form.lastReading", {
            reading: lastReading(meter, last),
          })}
        </p>
      )}
      <div className="relative">
        <input
          {...aria}
          {...field}
          value={text}
          aria-describedby={
            clsx(meter && last && `${aria.id}-last`, aria["aria-describedby"]) || undefined
          }
          inputMode="decimal"
          enterKeyHint="send"
          autoComplete="off"
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- only where a press has just asked for it
          autoFocus={focus}
          data-reading-input
          className={clsx(inputClass, "text-lg font-semibold", unit && "pr-14")}
        />
        {unit && (
          <span
            aria-hidden
            className="pointer-events-none absolute inset-y-0 right-0 grid place-items-center px-4 text-muted"
          >
            {unit}
          </span>
        )}
      </div>
    </FieldFrame>
  );
}

/** A crew calls the meter differently by unit; before a machine is chosen it is just a meter. */
function readingLabel(unit: UnitWord | undefined): TextKey {
  switch (unit) {
    case "hours":
      return key("operator.form.readingHours");
    case "miles":
      return key("operator.form.readingMiles");
    case "kilometers":
      return key("operator.form.readingKilometers");
    case "n/a":
    case undefined:
      return key("operator.form.reading");
  }
}

function addedLabel(unit: UnitWord): TextKey {
  switch (unit) {
    case "hours":
      return key("operator.form.addedHours");
    case "miles":
      return key("operator.form.addedMiles");
    case "kilometers":
      return key("operator.form.addedKilometers");
    case "n/a":
      return key("operator.form.addedAmount");
  }
}
