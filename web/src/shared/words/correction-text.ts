import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import {
  FuelKind,
  MeterChange,
  type HistoryRecord,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { fuelKindWord } from "#/domain/equipment-wire";
import { useUpdateText } from "./update-text";

/**
 * How a manager changed what an operator sent: "Corrected by Dana; María sent 7,083 hours", "Set back
 * by Dana"; empty if it was applied as sent.
 */
export function useCorrectionText(): (record: HistoryRecord) => string {
  const { t } = useTranslation();
  const update = useUpdateText();
  return useMemo(() => {
    const sentReading = ({ correction, unit: current }: HistoryRecord): string => {
      const { reading, usageIncrease, unit } = correction?.sent ?? {};
      const sentUnit = unit || current;
      if (reading !== undefined) return update.reading(reading, sentUnit);
      return usageIncrease === undefined
        ? t("equipment-history.correction.noReading")
        : update.difference(0, usageIncrease, sentUnit);
    };
    const isSameReading = ({ correction, reading, unit }: HistoryRecord): boolean => {
      const sent = correction?.sent;
      // Usage that was added is replaced by a reading.
      return sent?.reading === undefined
        ? reading === undefined
        : sent.reading === reading && (sent.unit || unit) === unit;
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
      const { correction, operatorName: operator, meterReplacement } = record;
      if (!correction?.sent) return "";
      const { by, reportedEquipmentName: name, setBack } = correction;
      // The reading of a replacement is the start of the next meter.
      const reading = meterReplacement || !isSameReading(record) ? sentReading(record) : "";
      const sent = [reading, fuelOf(record)].filter((part) => part !== "").join(", ");
      const values = { by, operator, sent };
      return [
        name !== "" && t("equipment-history.correction.moved", { name, operator, by }),
        setBack && t("equipment-history.correction.setBack", { by }),
        sent !== "" &&
          (!meterReplacement
            ? t("equipment-history.correction.text", values)
            : meterReplacement.change === MeterChange.ROLLED_OVER
              ? t("equipment-history.correction.rolledOver", values)
              : t("equipment-history.correction.replaced", values)),
      ]
        .filter(Boolean)
        .join(" · ");
    };
  }, [t, update]);
}
