import { useTranslation } from "react-i18next";
import type { MeterUnit } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { fuelKindWord } from "#/domain/equipment-wire";
import { useUpdateText } from "#/shared/words/update-text";

/** The values that a manager applied in place of the reported ones; empty: none. */
export function useAppliedText() {
  const { t } = useTranslation();
  const text = useUpdateText();
  return (update: OperatorUpdate, unit: MeterUnit | undefined): string => {
    const { appliedReading: reading, appliedFuel: fuel, fullFill } = update;
    const parts = [
      reading !== undefined && reading !== update.newUsage && text.reading(reading, unit),
      fuel === 0 && t("review.decided.noFuel"),
      fuel && text.fuel(fuel, fuelKindWord(update.appliedFuelKind), fullFill),
    ];
    return parts.filter(Boolean).join(", ");
  };
}
