import { useTranslation } from "react-i18next";
import type { LastKnown } from "../offline-data/last-known";
import type { FieldMachine } from "../offline-data/machines";
import { useMeterText } from "#/shared/words/use-meter-text";
import { useWhen } from "#/shared/words/use-when";

/** "4,812.5 h · read yesterday 4:40 PM"; empty without a meter that was read. */
export function useLastReading(): (machine: FieldMachine, last: LastKnown) => string {
  const { t } = useTranslation();
  const text = useMeterText();
  const when = useWhen();
  return ({ unit }, { reading, at }) => {
    if (unit === "n/a" && !reading) return "";
    const amount = text.amount(reading, unit);
    return at === null
      ? t("operator.picker.neverRead", { reading: amount })
      : t("operator.picker.readAt", { reading: amount, when: when.at(at) });
  };
}
