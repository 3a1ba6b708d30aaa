import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import type { EquipmentFuelUse } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { unitWord } from "#/domain/equipment-wire";
import { consumptionOf } from "#/domain/fuel-consumption";
import { useFuelUnit } from "#/shared/format/fuel-unit";
import { useFormat } from "#/shared/format/use-format";

interface ConsumptionText {
  /** "18.4 MPG" */
  amount: string;
  /** "over 6 fills", or "over 6 fills, 1 excluded" */
  basis: string;
}

/** The fuel consumption of a machine in words. Null if it is unknown. */
export function useConsumptionText(): (
  use: Pick<EquipmentFuelUse, "consumption" | "unit">,
) => ConsumptionText | null {
  const { t } = useTranslation();
  const format = useFormat();
  const fuelUnit = useFuelUnit();
  return useCallback(
    ({ consumption, unit }) => {
      const found = consumption && consumptionOf(consumption, unitWord(unit), fuelUnit);
      if (!consumption || !found) return null;
      const { fills: count, excluded } = consumption;
      const basis =
        count === 0
          ? t("fuel.consumption.estimate")
          : excluded > 0
            ? t("fuel.consumption.fills", { count, excluded })
            : t("fuel.consumption.allFills", { count });
      const decimals = found.value < 10 ? 2 : 1;
      return { amount: `${format.number(found.value, decimals)} ${found.unit}`, basis };
    },
    [t, format, fuelUnit],
  );
}
