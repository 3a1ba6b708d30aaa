import type { UseFormReturn } from "react-hook-form";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { equipmentFuelWord, unitWord } from "#/domain/equipment-wire";
import { fuelKinds, presetFuelKind } from "#/domain/equipment-words";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { parseDecimal } from "#/shared/form/decimal";
import { CheckboxField } from "#/shared/form/fields/checkbox-field";
import { NumberField } from "#/shared/form/fields/number-field";
import { SelectField } from "#/shared/form/fields/select-field";
import { TextAreaField } from "#/shared/form/fields/text-area-field";
import { Notice } from "#/shared/ui/notice";
import { Segmented } from "#/shared/ui/segmented";
import { momentText } from "../meters/moment";
import { MomentField } from "../meters/moment-field";
import type { UsageValues } from "./usage-schema";

/** An increase, or a reading with its time; fuel and notes. */
export function UsageFields({
  form,
  seen,
  neverRead,
  opened,
  fuelFirst,
}: {
  form: UseFormReturn<UsageValues>;
  seen: Equipment;
  neverRead: boolean;
  opened: Date;
  fuelFirst: boolean;
}) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const { control } = form;
  const unit = unitWord(seen.unit);
  const measured = unit === "n/a" ? {} : { unit: labels.unit(unit) };
  const { way, fuelAdded, fuelKind } = form.watch();
  const tank = equipmentFuelWord(seen.fuel);
  const otherFuel =
    (parseDecimal(fuelAdded) ?? 0) > 0 && tank !== "n/a" && fuelKind !== presetFuelKind(tank);
  const fuel = (
    <>
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <NumberField
          control={control}
          name="fuelAdded"
          label={t("equipment-dialogs.usage.fuelAdded")}
          optional={!fuelFirst}
          unit={labels.fuelUnit}
        />
        <SelectField
          control={control}
          name="fuelKind"
          label={t("equipment-dialogs.usage.fuelType")}
          options={fuelKinds.map((kind) => ({ value: kind, label: labels.fuelKind(kind) }))}
        />
      </div>
      <CheckboxField
        control={control}
        name="fullFill"
        label={t("equipment-detail.fuel.fullFill")}
      />
      {otherFuel && (
        <div role="status">
          <Notice>
            {t("equipment-detail.usage.otherFuel", {
              name: seen.name,
              fuel: labels.fuel(tank).toLocaleLowerCase(),
              given: labels.fuelKind(fuelKind).toLocaleLowerCase(),
            })}
          </Notice>
        </div>
      )}
    </>
  );
  const notes = (
    <TextAreaField
      control={control}
      name="notes"
      label={t("equipment-dialogs.usage.notes")}
      optional
      rows={2}
    />
  );
  if (fuelFirst && unit === "n/a") {
    return (
      <>
        {fuel}
        {notes}
      </>
    );
  }
  return (
    <>
      {fuelFirst && fuel}
      {neverRead && <Notice>{t("equipment-detail.usage.firstReading")}</Notice>}
      {!neverRead && unit !== "n/a" && (
        <div data-not-first>
          <Segmented
            label={t("equipment-detail.usage.way")}
            hideLabel
            value={way}
            options={[
              { value: "increase", label: t("equipment-detail.usage.wayIncrease") },
              { value: "reading", label: t("equipment-detail.usage.wayReading") },
            ]}
            onChange={(next) => form.setValue("way", next)}
          />
        </div>
      )}
      {way === "increase" ? (
        <NumberField
          control={control}
          name="usageIncrease"
          label={t("equipment-dialogs.usage.increase")}
          optional={fuelFirst}
          hint={t("equipment-dialogs.usage.increaseHint")}
          {...measured}
        />
      ) : (
        <div className="grid items-start gap-4 sm:grid-cols-2">
          <NumberField
            control={control}
            name="reading"
            label={t("equipment-detail.usage.reading")}
            optional={fuelFirst}
            hint={t("equipment-detail.usage.readingHint")}
            {...measured}
          />
          <MomentField
            control={control}
            name="capturedAt"
            label={t("equipment-detail.usage.readAt")}
            hint={t("equipment-meters.replace.atHint")}
            optional
            max={momentText(opened)}
          />
        </div>
      )}
      {!fuelFirst && fuel}
      {notes}
    </>
  );
}
