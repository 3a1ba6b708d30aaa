import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { unitWord } from "#/domain/equipment-wire";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { MeterEndPreview } from "#/shared/meter-end/meter-end-preview";
import { FormDialog } from "#/shared/form/form-dialog";
import { useAppForm } from "#/shared/form/use-app-form";
import { toast } from "#/shared/toast/store";
import { momentText } from "./moment";
import { MovedNotice } from "./moved-notice";
import { ReplaceFields } from "./replace-fields";
import {
  blankReplacement,
  endOf,
  momentOf,
  replaceSchema,
  type MeterEndWord,
} from "./replace-schema";
import { follow, refusal, showRefused } from "./replace-refusals";
import { useReplaceMeter } from "./use-replace-meter";
import { WayChoice } from "./way-choice";

/** Records a replaced or rolled-over meter, with a preview. */
export function ReplaceMeterDialog({
  equipment,
  onClose,
}: {
  equipment: Equipment;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const labels = useEquipmentLabels();
  const [opened] = useState(() => new Date());
  const [way, setWay] = useState<MeterEndWord>("replaced");
  const unit = unitWord(equipment.unit);
  const { seen, moved, explains, replace, pending, error } = useReplaceMeter(equipment, {
    done: (after) => {
      toast.success(
        t("equipment-meters.replace.done"),
        t("equipment-meters.replace.doneText", {
          name: equipment.name,
          reading: labels.amount(after.meterReading, unit),
          life: labels.amount(after.currentUsage, unit),
        }),
      );
      onClose();
    },
    refused: (refusal, now) => {
      follow(form, way, seen.meterReading, now.meterReading);
      showRefused(form, refusal);
    },
  });
  const form = useAppForm(replaceSchema(seen, opened), blankReplacement("replaced", equipment));
  const values = form.watch();
  const choose = (next: MeterEndWord) => {
    // The two kinds have their own figures and share time and notes.
    const { at, notes } = form.getValues();
    form.reset({ ...blankReplacement(next, seen), at, notes });
    setWay(next);
  };
  return (
    <FormDialog
      open
      onOpenChange={onClose}
      title={t("equipment-meters.replace.title")}
      description={t("equipment-meters.replace.text", { name: equipment.name })}
      onSubmit={form.handleSubmit(replace)}
      loading={pending}
      submitError={
        error && !explains(error)
          ? (refusal(t, error) ?? errorText(error, "equipment-meters.replace.failed"))
          : null
      }
      submitLabel={t("equipment-meters.replace.submit")}
      pendingLabel={t("equipment-meters.replace.pending")}
    >
      <MovedNotice moved={moved} seen={seen} />
      <WayChoice value={way} onChange={choose} />
      <ReplaceFields form={form} seen={seen} way={way} max={momentText(opened)} />
      <MeterEndPreview
        equipment={seen}
        way={way}
        end={endOf(values, seen)}
        at={momentOf(values, opened)}
      />
    </FormDialog>
  );
}
