import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { UnitWord } from "#/domain/equipment-words";
import { meterDifference, unitShort } from "#/shared/words/meter-text";
import { useFormat } from "#/shared/format/use-format";

/** Short readings: "4,812.5 h", "+8.4 h". */
export function useMeterText() {
  const { t } = useTranslation();
  const format = useFormat();
  return useMemo(() => {
    // A non-breaking space keeps the unit beside its number.
    const amount = (value: number, unit: UnitWord) =>
      format.usage(value, unitShort(t, unit)).replace(" ", "\u00a0");
    return {
      amount,
      difference(before: number, after: number, unit: UnitWord): string {
        const change = meterDifference(before, after);
        return `${change < 0 ? "\u2212" : "+"}${amount(Math.abs(change), unit)}`;
      },
      unit: (unit: UnitWord) => unitShort(t, unit),
    };
  }, [t, format]);
}
