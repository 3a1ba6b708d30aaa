import { useTranslation } from "react-i18next";
import {
  TaskBasis,
  type CalendarUnit,
  type MeterUnit,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { calendarUnitWord, unitWord } from "#/domain/equipment-wire";
import { everyText, periodText } from "#/shared/words/use-record-text";
import { useFormat } from "#/shared/format/use-format";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";

interface Interval {
  /** 0: none. */
  usageInterval: number;
  /** 0: none. */
  calendarInterval: number;
  calendarUnit: CalendarUnit;
  unit: MeterUnit;
  basis?: TaskBasis;
  /** 0 or undefined: the usual distance; likewise below. */
  warningPercent?: number | undefined;
  warningUsage?: number | undefined;
  warningDays?: number | undefined;
}

/** "every 250 hours or 6 months on the mark, warning 25 hours before"; empty with neither. */
export function useIntervalText(): (interval: Interval) => string {
  const { t } = useTranslation();
  const labels = useEquipmentLabels();
  const format = useFormat();
  return (interval) => {
    const { usageInterval, calendarInterval, calendarUnit, unit } = interval;
    const every = everyText(
      t,
      usageInterval > 0 ? labels.amount(usageInterval, unitWord(unit)) : null,
      calendarInterval > 0
        ? { count: calendarInterval, unit: calendarUnitWord(calendarUnit) }
        : null,
    );
    if (every === "") return "";
    const { warningPercent = 0, warningUsage = 0, warningDays = 0 } = interval;
    const distances = [
      warningPercent > 0 ? format.percent(warningPercent) : "",
      warningUsage > 0 ? labels.amount(warningUsage, unitWord(unit)) : "",
      warningDays > 0 ? periodText(t, warningDays, "days") : "",
    ].filter((text) => text !== "");
    const onTheMark = interval.basis === TaskBasis.ON_THE_MARK;
    return [
      onTheMark ? t("equipment-detail.rules.everyOnTheMark", { every }) : every,
      ...distances.map((distance) => t("equipment-detail.rules.warnsAt", { distance })),
    ].join(", ");
  };
}
