import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { mostSince, type ReadingFlag } from "#/domain/reading-check";
import { meterDifference, roundUsual } from "#/shared/words/meter-text";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import type { Question } from "./question";
import { useMeterText } from "../use-meter-text";
import { useWhen } from "../use-when";

/** Why an entry is asked about, in plain words with its figures. */
export function useQuestionText() {
  const { t } = useTranslation();
  const text = useMeterText();
  const labels = useEquipmentLabels();
  const when = useWhen();
  return useMemo(() => {
    const below = ({ entry, meter, last }: Question): string => {
      const typed = entry.reading ?? 0;
      const figures = {
        typed: text.amount(typed, meter.unit),
        last: text.amount(last.reading, meter.unit),
        less: text.amount(meterDifference(typed, last.reading), meter.unit),
      };
      return last.at === null
        ? t("operator.check.belowNever", figures)
        : t("operator.check.below", { ...figures, when: when.at(last.at) });
    };
    const jump = ({ entry, meter, last }: Question): string => {
      const typed = entry.reading ?? 0;
      const most = mostSince(
        { ...meter, meterReading: last.reading, meterReadAt: last.at },
        new Date(entry.capturedAt),
      );
      const figures = {
        typed: text.amount(typed, meter.unit),
        more: text.amount(meterDifference(last.reading, typed), meter.unit),
        since: last.at ? when.since(last.at) : "",
      };
      return meter.usualDailyUse === null
        ? t("operator.check.jumpMost", { ...figures, most: text.amount(most ?? 0, meter.unit) })
        : t("operator.check.jump", {
            ...figures,
            usual: text.amount(roundUsual(meter.usualDailyUse, meter.unit), meter.unit),
          });
    };
    const fuel = ({ entry, meter }: Question): string => {
      const amount = labels.gallons(entry.fuelAdded ?? 0);
      return meter.usualFill === null
        ? t("operator.check.fuelMost", { amount })
        : t("operator.check.fuel", { amount, usual: labels.gallons(meter.usualFill) });
    };
    const repeated = ({ meter, repeatedSecondsAgo }: Question): string =>
      t("operator.check.repeated", {
        name: meter.name,
        count: Math.max(1, Math.round((repeatedSecondsAgo ?? 0) / 60)),
      });
    return {
      title: (flag: ReadingFlag): string => {
        switch (flag) {
          case "below_meter":
            return t("operator.check.belowTitle");
          case "jump":
            return t("operator.check.jumpTitle");
          case "fuel_high":
            return t("operator.check.fuelTitle");
          case "repeated":
            return t("operator.check.repeatedTitle");
        }
      },
      why: (flag: ReadingFlag, question: Question): string => {
        switch (flag) {
          case "below_meter":
            return below(question);
          case "jump":
            return jump(question);
          case "fuel_high":
            return fuel(question);
          case "repeated":
            return repeated(question);
        }
      },
    };
  }, [t, text, labels, when]);
}
