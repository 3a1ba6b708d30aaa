import { useTranslation } from "react-i18next";
import type { CalendarUnit, MeterUnit } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { calendarUnitWord, unitWord } from "#/domain/equipment-wire";
import { everyText, periodText } from "#/shared/words/use-record-text";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";

interface Interval {
  /** 0: none. */
  usageInterval: number;
  /** 0: none. */
  calendarInterval: number;
  calendarUnit: CalendarUnit;
  unit: MeterUnit;
}

/** "every 250 hours or 6 months"; empty with neither. */
export function useIntervalText(): (interval: Interval) => string {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  return ({ usageInterval, calendarInterval, calendarUnit, unit }) =>
    everyText(
      t,
      usageInterval > 0 ? labels.amount(usageInterval, unitWord(unit)) : null,
      calendarInterval > 0 ? periodText(t, calendarInterval, calendarUnitWord(calendarUnit)) : null,
    );
}
