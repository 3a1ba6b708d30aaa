import { useTranslation } from "react-i18next";
import { MeterChange, type MeterUnit } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { fuelKindWord } from "#/domain/equipment-wire";
import { useUpdateText } from "#/shared/words/update-text";

/** The values that a manager applied in place of the reported ones; empty: none. */
export function useAppliedText() {
  const text = useUpdateText();
  const fuelText = useAppliedFuelText();
  return (update: OperatorUpdate, unit: MeterUnit | undefined): string => {
    const { appliedReading: reading } = update;
    const isCorrected = reading !== undefined && reading !== update.newUsage;
    return [isCorrected && text.reading(reading, unit), fuelText(update)]
      .filter(Boolean)
      .join(", ");
  };
}

/** What a manager decided about the meter beside the reading; empty: nothing. */
export function useMeterDecisionText() {
  const { t } = useTranslation();
  const text = useUpdateText();
  return (update: OperatorUpdate, unit: MeterUnit | undefined): string => {
    const { meterReplacement: meter, previousUsage, setBack } = update;
    const amount = (value: number | undefined) => text.reading(value ?? 0, unit);
    if (setBack) return t("review.decided.setBack", { reading: amount(previousUsage) });
    if (!meter) return "";
    const ended = amount(meter.finalReading ?? previousUsage);
    return meter.change === MeterChange.ROLLED_OVER
      ? t("equipment-meters.record.rolledOver", { amount: ended })
      : t("equipment-meters.record.replaced", { ended, began: amount(meter.startReading) });
  };
}

/** The fuel that a manager applied in place of the reported one; empty: none. */
export function useAppliedFuelText() {
  const { t } = useTranslation();
  const text = useUpdateText();
  return ({ appliedFuel, appliedFuelKind, fullFill }: OperatorUpdate): string => {
    if (appliedFuel === undefined) return "";
    if (appliedFuel === 0) return t("review.decided.noFuel");
    return text.fuel(appliedFuel, fuelKindWord(appliedFuelKind), fullFill);
  };
}
