import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { hasEarlierMeters, onDial, type Metered } from "#/domain/dial";
import { unitWord } from "#/domain/equipment-wire";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";

type Machine = Metered & Pick<Equipment, "unit">;

/** Formats usage of a machine; with its first meter the scale is not named. */
export function useDialText() {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  return useMemo(() => {
    const amount = (equipment: Machine, value: number) =>
      labels.amount(value, unitWord(equipment.unit));
    /** Life-to-date usage, labeled if it differs from the dial. */
    const life = (equipment: Machine, usage: number) =>
      hasEarlierMeters(equipment)
        ? t("labels.lifeToDate", { amount: amount(equipment, usage) })
        : amount(equipment, usage);
    return {
      /** What the meter shows; "–" without a meter. */
      reading: (equipment: Machine) =>
        equipment.meterReading === 0 && unitWord(equipment.unit) === "n/a"
          ? "–"
          : amount(equipment, equipment.meterReading),
      /** A due point on the meter's scale; life-to-date if it was passed on an earlier meter. */
      due: (equipment: Machine, usage: number) => {
        const at = onDial(equipment, usage);
        return at < 0 ? life(equipment, usage) : amount(equipment, at);
      },
      life,
    };
  }, [t, labels]);
}
