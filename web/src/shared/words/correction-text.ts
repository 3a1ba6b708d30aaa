import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { FuelKind, type HistoryRecord } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { fuelKindWord } from "#/domain/equipment-wire";
import { useUpdateText } from "./update-text";

/**
 * "Corrected by Dana; María sent 7,083 hours": what an operator sent where a manager applied other
 * values; empty otherwise.
 */
export function useCorrectionText(): (record: HistoryRecord) => string {
  const { t } = useTranslation();
  const update = useUpdateText();
  return useMemo(() => {
    const readingOf = ({ correction, reading, unit }: HistoryRecord): string => {
      const sent = correction?.sent;
      const sentUnit = sent?.unit || unit;
      if (sent?.reading !== undefined) {
        return sent.reading === reading && sentUnit === unit
          ? ""
          : update.reading(sent.reading, sentUnit);
      }
      // Usage that was added is replaced by a reading.
      if (reading === undefined) return "";
      return sent?.usageIncrease === undefined
        ? t("equipment-history.correction.noReading")
        : update.difference(0, sent.usageIncrease, sentUnit);
    };
    const fuelOf = ({ correction, fuelAdded, fuelKind }: HistoryRecord): string => {
      const { fuelAdded: amount = 0, fuelKind: kind = FuelKind.UNSPECIFIED } =
        correction?.sent ?? {};
      if (amount === fuelAdded && (amount === 0 || kind === fuelKind)) return "";
      return amount > 0
        ? update.fuel(amount, fuelKindWord(kind))
        : t("equipment-history.correction.noFuel");
    };
    return (record) => {
      const { correction, operatorName: operator } = record;
      if (!correction?.sent) return "";
      const sent = [readingOf(record), fuelOf(record)].filter((part) => part !== "").join(", ");
      return sent === ""
        ? ""
        : t("equipment-history.correction.text", { by: correction.by, operator, sent });
    };
  }, [t, update]);
}
