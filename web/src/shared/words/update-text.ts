import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { MeterUnit } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { useFormat } from "#/shared/format/use-format";
import { unitWord } from "#/domain/equipment-wire";
import type { UnitWord } from "#/domain/equipment-words";
import { meterDifference, roundUsual, unitShort, useFuelText } from "./meter-text";
import { useEquipmentLabels } from "./use-equipment-labels";

/** Readings and fuel of an operator's update in words, for the operator and for the reviewing manager. */
export function useUpdateText() {
  const { t } = useTranslation();
  const format = useFormat();
  const labels = useEquipmentLabels();
  const fuel = useFuelText();
  return useMemo(() => {
    // Undefined: no meter, or the equipment was deleted.
    const word = (unit: MeterUnit | undefined): UnitWord =>
      unit === undefined ? "n/a" : unitWord(unit);
    return {
      unitName: (unit: MeterUnit | undefined) =>
        word(unit) === "n/a" ? "" : labels.unit(word(unit)).toLocaleLowerCase(),
      reading: (value: number, unit: MeterUnit | undefined) => labels.amount(value, word(unit)),
      /** "95.2 h". */
      amount: (value: number, unit: MeterUnit | undefined) =>
        format.usage(value, unitShort(t, word(unit))),
      /** A rounded median: "1.7 h", "60 mi". */
      usual: (value: number, unit: MeterUnit | undefined) =>
        format.usage(roundUsual(value, word(unit)), unitShort(t, word(unit))),
      /** "+8.4 h", "-3 h". */
      difference: (before: number, after: number, unit: MeterUnit | undefined) => {
        const change = meterDifference(before, after);
        const sign = change < 0 ? "\u2212" : "+";
        return `${sign}${format.usage(Math.abs(change), unitShort(t, word(unit)))}`;
      },
      fuel,
    };
  }, [t, format, labels, fuel]);
}
