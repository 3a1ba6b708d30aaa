import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { UseFormReturn } from "react-hook-form";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { unitWord } from "#/domain/equipment-wire";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { NumberField } from "#/shared/form/fields/number-field";
import { TextAreaField } from "#/shared/form/fields/text-area-field";
import { useFormat } from "#/shared/format/use-format";
import { MoreOptions } from "../rules/rule-fields";
import { MomentField } from "./moment-field";
import type { MeterEndWord, ReplaceValues } from "./replace-schema";

/** What is rarely needed: a new meter usually starts at 0, now. */
const folded = ["start", "at", "notes"] as const;

/** The fields of the old and the new meter; after a rollover the meter starts at 0. */
export function ReplaceFields({
  form: { control, formState },
  seen,
  way,
  max,
}: {
  form: UseFormReturn<ReplaceValues>;
  seen: Equipment;
  way: MeterEndWord;
  max: string;
}) {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const shown = useShown(seen);
  const measured = { unit: labels.unit(unitWord(seen.unit)) };
  const replaced = way === "replaced";
  return (
    <>
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <NumberField
          control={control}
          name="final"
          label={
            replaced ? t("equipment-meters.replace.final") : t("equipment-meters.replace.again")
          }
          hint={replaced ? shown : t("equipment-meters.replace.againHint")}
          {...measured}
        />
        <NumberField
          control={control}
          name="reading"
          label={t("equipment-meters.replace.reading")}
          hint={
            replaced
              ? t("equipment-meters.replace.readingHint")
              : t("equipment-meters.replace.readingHintAgain")
          }
          optional
          {...measured}
        />
      </div>
      <MoreOptions
        control={control}
        isSet={false}
        isWrong={folded.some((name) => formState.errors[name])}
      >
        <div className="grid items-start gap-4 sm:grid-cols-2">
          {replaced && (
            <NumberField
              control={control}
              name="start"
              label={t("equipment-meters.replace.start")}
              hint={t("equipment-meters.replace.startHint")}
              {...measured}
            />
          )}
          <MomentField
            control={control}
            name="at"
            label={t("equipment-meters.replace.at")}
            hint={t("equipment-meters.replace.atHint")}
            optional
            max={max}
          />
        </div>
        <TextAreaField
          control={control}
          name="notes"
          label={t("equipment-dialogs.usage.notes")}
          optional
          rows={2}
        />
      </MoreOptions>
    </>
  );
}

/** "It showed 4,812.5 hours on Nov 20, 2026." */
function useShown({ meterReading, meterReadAt, unit }: Equipment): string {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const format = useFormat();
  const amount = labels.amount(meterReading, unitWord(unit));
  return meterReadAt
    ? t("equipment-meters.replace.finalHintRead", {
        amount,
        date: format.instantDay(timestampDate(meterReadAt)),
      })
    : t("equipment-meters.replace.finalHint", { amount });
}
