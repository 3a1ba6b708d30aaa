import { useFormState, type Control } from "react-hook-form";
import { useTranslation } from "react-i18next";
import { BasisField, MoreOptions, WarningFields } from "../rules/rule-fields";
import { isUsualRule } from "../rules/rule-schema";
import type { SetValues } from "./set-schema";

/** What most tasks do not need. */
export function ItemOptions({
  control,
  index,
  initial,
}: {
  control: Control<SetValues>;
  index: number;
  initial: SetValues["items"][number];
}) {
  const { t } = useTranslation();
  const { errors } = useFormState({ control });
  const wrong = errors.items?.[index];
  return (
    <MoreOptions
      control={control}
      isSet={!isUsualRule(initial)}
      isWrong={Boolean(wrong?.basis ?? wrong?.warning ?? wrong?.warningDays)}
    >
      <BasisField control={control} name={`items.${index}.basis`} />
      <WarningFields
        control={control}
        names={{
          warning: `items.${index}.warning`,
          warningUnit: `items.${index}.warningUnit`,
          warningDays: `items.${index}.warningDays`,
        }}
        unit={t("equipment-detail.rules.usage")}
      />
    </MoreOptions>
  );
}
