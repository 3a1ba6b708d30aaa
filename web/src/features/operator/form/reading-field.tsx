import { clsx } from "clsx";
import { Plus } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { key, type TextKey } from "#/i18n/key";
import type { UnitWord } from "#/domain/equipment-words";
import { FieldFrame, useFieldAria } from "#/shared/form/field-frame";
import { Button } from "#/shared/ui/button";
import { Segmented } from "#/shared/ui/segmented";
import { UnitInput } from "#/shared/ui/unit-input";
import type { LastKnown } from "../offline-data/last-known";
import type { FieldMachine } from "../offline-data/machines";
import { ReadingHint } from "./reading-hint";
import type { UpdateValues } from "./schema";
import { useLastReading } from "./use-last-reading";
import { useMeterText } from "#/shared/words/use-meter-text";

interface Props {
  machine: FieldMachine | undefined;
  last: LastKnown | undefined;
  mode: UpdateValues["mode"];
  reading: string;
  error: string | undefined;
  onChange: (changes: Partial<Pick<UpdateValues, "mode" | "reading">>) => void;
}

/** Field for the meter reading or the hours added, with the last reading. */
export function ReadingField(props: Props) {
  const { machine, mode, reading, error, onChange } = props;
  const { t } = useTranslation();
  const [wanted, setWanted] = useState(false);
  const hidden = machine?.unit === "n/a" && !wanted && reading === "" && !error;
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
      {machine && (
        <Segmented
          label={t("operator.form.mode")}
          hideLabel
          value={mode}
          onChange={(next) => onChange({ mode: next })}
          options={[
            { value: "reading", label: t("operator.form.modeReading") },
            { value: "added", label: t(addedLabel(machine.unit)) },
          ]}
        />
      )}
      <ReadingInput {...props} focus={wanted} />
    </div>
  );
}

function ReadingInput({
  machine,
  last,
  mode,
  reading,
  error,
  onChange,
  focus,
}: Props & { focus: boolean }) {
  const { t } = useTranslation();
  const meterText = useMeterText();
  const lastReading = useLastReading();
  const lastText = machine && last && lastReading(machine, last);
  const label = t(
    mode === "added" && machine ? addedLabel(machine.unit) : readingLabel(machine?.unit),
  );
  const hint =
    machine && last && error === undefined ? (
      <ReadingHint machine={machine} last={last} mode={mode} typed={reading} />
    ) : undefined;
  const aria = useFieldAria(hint, error);
  return (
    <FieldFrame id={aria.id} label={label} hint={hint} error={error}>
      {lastText && (
        <p id={`${aria.id}-last`} className="-mt-0.5 mb-1.5">
          {t(last.own ? "operator.form.ownReading" : "operator.form.lastReading", {
            reading: lastText,
          })}
        </p>
      )}
      <UnitInput
        {...aria}
        aria-describedby={
          clsx(lastText && `${aria.id}-last`, aria["aria-describedby"]) || undefined
        }
        data-invalid={aria["aria-invalid"]}
        data-reading-input
        unit={machine && meterText.unit(machine.unit)}
        value={reading}
        onChange={(event) => onChange({ reading: event.target.value })}
        enterKeyHint="send"
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- only after the user pressed the button that adds the field
        autoFocus={focus}
        className="text-reading font-semibold"
      />
    </FieldFrame>
  );
}

/** The name of the meter depends on its unit, which is unknown until a machine is chosen. */
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
