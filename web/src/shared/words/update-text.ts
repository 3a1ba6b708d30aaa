import type { TFunction } from "i18next";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { MeterUnit } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { useFormat } from "#/shared/format/use-format";
import { unitWord, type FuelKindWord, type UnitWord } from "#/domain/equipment-words";
import { useEquipmentLabels } from "./use-equipment-labels";

/** Quantities have two decimals; the floating remainder of a subtraction must not be shown. */
export function meterDifference(before: number, after: number): number {
  return Math.round((after - before) * 100) / 100;
}

/** What is usual a day, as it is told: distances whole, anything else with one decimal. */
export function roundUsual(value: number, unit: UnitWord): number {
  const whole = unit === "miles" || unit === "kilometers";
  const rounded = whole ? Math.round(value) : Math.round(value * 10) / 10;
  // Little is not nothing.
  return rounded > 0 ? rounded : value;
}

/** Readings and fuel of an operator's update in words, for the operator and for the reviewing manager. */
export function useUpdateText() {
  const { t } = useTranslation();
  const format = useFormat();
  const labels = useEquipmentLabels();
  return useMemo(() => {
    // Without a unit: there is no meter, or the equipment is gone.
    const word = (unit: MeterUnit | undefined): UnitWord =>
      unit === undefined ? "n/a" : unitWord(unit);
    return {
      unitName: (unit: MeterUnit | undefined) =>
        word(unit) === "n/a" ? "" : labels.unit(word(unit)).toLocaleLowerCase(),
      reading: (value: number, unit: MeterUnit | undefined) => labels.amount(value, word(unit)),
      /** "95.2 h". */
      amount: (value: number, unit: MeterUnit | undefined) =>
        format.usage(value, unitShort(t, word(unit))),
      /** A median, as roughly as it is meant: "1.7 h", "60 mi". */
      usual: (value: number, unit: MeterUnit | undefined) =>
        format.usage(roundUsual(value, word(unit)), unitShort(t, word(unit))),
      /** "+8.4 h", "-3 h". */
      difference: (before: number, after: number, unit: MeterUnit | undefined) => {
        const change = meterDifference(before, after);
        const sign = change < 0 ? "\u2212" : "+";
        return `${sign}${format.usage(Math.abs(change), unitShort(t, word(unit)))}`;
      },
      /** "12.0 gal diesel". */
      fuel: (amount: number, kind: FuelKindWord) =>
        kind === "gas"
          ? t("updates.fuel.gas", { amount: labels.gallons(amount) })
          : t("updates.fuel.diesel", { amount: labels.gallons(amount) }),
    };
  }, [t, format, labels]);
}

/** A unit of usage beside a number. */
export function unitShort(t: TFunction, unit: UnitWord): string {
  switch (unit) {
    case "hours":
      return t("updates.unitsShort.hours");
    case "miles":
      return t("updates.unitsShort.miles");
    case "kilometers":
      return t("updates.unitsShort.kilometers");
    case "n/a":
      return "";
  }
}
