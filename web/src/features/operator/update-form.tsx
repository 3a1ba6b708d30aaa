import { useEffect, useRef, useState } from "react";
import { useController } from "react-hook-form";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { presetFuelKind, unitWord } from "#/domain/equipment-words";
import { key, type TextKey } from "#/i18n/key";
import { NumberField } from "#/shared/form/fields/number-field";
import { TextAreaField } from "#/shared/form/fields/text-area-field";
import { useAppForm } from "#/shared/form/use-app-form";
import { useFuelUnit } from "#/shared/format/fuel-unit";
import { randomId } from "#/shared/random-id";
import { toast } from "#/shared/toast/store";
import { Button } from "#/shared/ui/button";
import { Notice } from "#/shared/ui/notice";
import { Segmented } from "#/shared/ui/segmented";
import { EquipmentField } from "./equipment-field";
import type { Outbox } from "./outbox";
import type { OutboxEntry } from "./outbox-entry";
import { useEquipment } from "./queries";
import { ReadingHint } from "./reading-hint";
import { emptyUpdate, toEntry, toValues, updateSchema, type UpdateValues } from "./schema";
import { SentLine } from "./sent-line";

export function UpdateForm({
  outbox,
  editing,
  onEditing,
}: {
  outbox: Outbox;
  /** A refused entry that is being corrected; submitting replaces it. */
  editing: OutboxEntry | null;
  onEditing: (entry: OutboxEntry | null) => void;
}) {
  const { t } = useTranslation();
  const fuelUnit = useFuelUnit();
  const equipment = useEquipment().data?.equipment;
  const form = useAppForm(updateSchema, editing ? toValues(editing) : emptyUpdate);
  const [pending, setPending] = useState(false);
  // Closes the gap between a second press and the render that shows the pending label.
  const submitting = useRef(false);
  const { field: fuelKind } = useController({ control: form.control, name: "fuelKind" });
  const [equipmentId, reading] = form.watch(["equipmentId", "reading"]);
  const chosen = equipment?.find((each) => each.id === equipmentId);

  // A correction starts at the first field, where the person who pressed Edit looks next.
  useEffect(() => {
    if (editing) form.setFocus("reading", { shouldSelect: true });
  }, [editing, form]);

  const submit = async (values: UpdateValues) => {
    const about = chosen ?? knownOf(editing);
    if (submitting.current || !about) return;
    submitting.current = true;
    setPending(true);
    const entry = toEntry(values, about, {
      clientId: randomId(),
      now: editing ? new Date(editing.capturedAt) : new Date(),
    });
    const outcome = await outbox.submit(entry, editing?.clientId ?? null);
    submitting.current = false;
    setPending(false);
    if (outcome.kind === "refused") {
      // It is kept as refused; the form goes on as its correction, with everything that was typed.
      onEditing({ ...entry, state: "refused", reason: outcome.reason });
      return;
    }
    if (outcome.kind === "queued") {
      toast.success(t("operator.toast.queued"), t("operator.toast.queuedText"));
    }
    form.reset(emptyUpdate);
    onEditing(null);
  };

  return (
    <form
      noValidate
      aria-label={t("operator.form.title")}
      onSubmit={(event) => void form.handleSubmit(submit)(event)}
      className="space-y-4"
    >
      {editing && (
        <Notice tone="danger">
          <p>{t("operator.form.correcting", { reason: editing.reason ?? "" })}</p>
          <Button
            size="small"
            variant="secondary"
            className="mt-2 text-ink"
            onClick={() => onEditing(null)}
          >
            {t("operator.form.stopCorrecting")}
          </Button>
        </Notice>
      )}
      <EquipmentField
        control={form.control}
        outbox={outbox}
        fallbackName={editing?.equipmentName}
        onChosen={(next) => fuelKind.onChange(presetFuelKind(next.fuel))}
      />
      <NumberField
        control={form.control}
        name="reading"
        label={t(readingLabel(chosen))}
        hint={<ReadingHint equipment={chosen} reading={reading} />}
      />
      <Segmented
        label={t("operator.form.fuelType")}
        value={fuelKind.value}
        onChange={fuelKind.onChange}
        options={[
          { value: "gas", label: t("operator.form.gas") },
          { value: "diesel", label: t("operator.form.diesel") },
        ]}
      />
      <NumberField
        control={form.control}
        name="fuel"
        label={t("operator.form.fuel")}
        unit={fuelUnit}
        placeholder="0.0"
        optional
      />
      <TextAreaField
        control={form.control}
        name="notes"
        label={t("operator.form.notes")}
        optional
        rows={3}
      />
      <Button
        type="submit"
        variant="primary"
        size="large"
        wide
        pending={pending}
        pendingLabel={t("operator.form.pending")}
      >
        {t("operator.form.submit")}
      </Button>
      <SentLine outbox={outbox} />
    </form>
  );
}

/** The equipment of a refused entry, also when it is not in the list any more. */
function knownOf(entry: OutboxEntry | null): { id: string; name: string } | null {
  return entry && { id: entry.equipmentId, name: entry.equipmentName };
}

/** Names the unit once equipment is chosen; a crew calls the meter differently by unit. */
function readingLabel(equipment: Equipment | undefined): TextKey {
  switch (equipment && unitWord(equipment.unit)) {
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
