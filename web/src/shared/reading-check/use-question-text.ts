import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { mostSince, type ReadingFlag } from "#/domain/reading-check";
import { meterDifference, roundUsual } from "#/shared/words/meter-text";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { useMeterText } from "#/shared/words/use-meter-text";
import type { Questioned } from "./questioned";
import { useWhen } from "#/shared/words/use-when";

/** Texts that explain why an entry is questioned. */
export function useQuestionText() {
  const { t } = useTranslation();
  const text = useMeterText();
  const labels = useEquipmentLabels();
  const when = useWhen();
  return useMemo(() => {
    const below = ({ entry, machine, last }: Questioned): string => {
      const typed = entry.reading ?? 0;
      const figures = {
        typed: text.amount(typed, machine.unit),
        last: text.amount(last.reading, machine.unit),
        less: text.amount(meterDifference(typed, last.reading), machine.unit),
      };
      if (last.at === null) return t("operator.check.belowNever", figures);
      const dated = { ...figures, when: when.at(last.at) };
      return last.own ? t("operator.check.belowOwn", dated) : t("operator.check.below", dated);
    };
    const contradicts = ({ entry, machine, last }: Questioned): string =>
      t("operator.check.contradicts", {
        typed: text.amount(entry.reading ?? 0, machine.unit),
        last: text.amount(last.reading, machine.unit),
        when: last.at ? when.at(last.at) : "",
      });
    const jump = ({ entry, machine, last }: Questioned): string => {
      const { increase } = entry;
      const reading = entry.reading ?? 0;
      const most = mostSince(
        { ...machine, meterReading: last.reading, meterReadAt: last.at },
        new Date(entry.capturedAt),
      );
      const figures = {
        typed:
          increase == null
            ? text.amount(reading, machine.unit)
            : text.difference(0, increase, machine.unit),
        more: text.amount(increase ?? meterDifference(last.reading, reading), machine.unit),
        since: last.at ? when.since(last.at) : "",
      };
      const why =
        machine.usualDailyUse === null
          ? t("operator.check.jumpMost", { ...figures, most: text.amount(most ?? 0, machine.unit) })
          : t("operator.check.jump", {
              ...figures,
              usual: text.amount(roundUsual(machine.usualDailyUse, machine.unit), machine.unit),
            });
      return increase == null
        ? why
        : `${why} ${t("operator.form.newReading")} ${text.amount(reading, machine.unit)}.`;
    };
    const fuel = ({ entry, machine }: Questioned): string => {
      const amount = labels.gallons(entry.fuelAdded ?? 0);
      return machine.usualFill === null
        ? t("operator.check.fuelMost", { amount })
        : t("operator.check.fuel", { amount, usual: labels.gallons(machine.usualFill) });
    };
    const repeated = ({ machine, repeatedSecondsAgo }: Questioned): string =>
      t("operator.check.repeated", {
        name: machine.name,
        count: Math.max(1, Math.round((repeatedSecondsAgo ?? 0) / 60)),
      });
    return {
      title: (flag: ReadingFlag): string => {
        switch (flag) {
          case "below_meter":
            return t("operator.check.belowTitle");
          case "contradicts":
            return t("operator.check.contradictsTitle");
          case "jump":
            return t("operator.check.jumpTitle");
          case "fuel_high":
            return t("operator.check.fuelTitle");
          case "wrong_fuel":
            return t("operator.check.wrongFuelTitle");
          case "wrong_unit":
            return t("operator.check.wrongUnitTitle");
          case "repeated":
            return t("operator.check.repeatedTitle");
        }
      },
      why: (flag: ReadingFlag, question: Questioned): string => {
        switch (flag) {
          case "below_meter":
            return below(question);
          case "contradicts":
            return contradicts(question);
          case "jump":
            return jump(question);
          case "fuel_high":
            return fuel(question);
          case "wrong_fuel":
            return question.entry.fuelKind === "gas"
              ? t("operator.check.wrongFuelGas", { name: question.machine.name })
              : t("operator.check.wrongFuelDiesel", { name: question.machine.name });
          case "wrong_unit":
            return t("operator.check.wrongUnit", { name: question.machine.name });
          case "repeated":
            return repeated(question);
        }
      },
    };
  }, [t, text, labels, when]);
}
