import { timestampDate } from "@bufbuild/protobuf/wkt";
import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import {
  MeterChange,
  type Equipment,
  type HistoryRecord,
  type MeterSegment,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { hasEarlierMeters } from "#/domain/dial";
import { equipmentFuelWord, fuelKindWord } from "#/domain/equipment-wire";
import { meterDifference } from "#/shared/words/meter-text";
import { useUpdateText } from "#/shared/words/update-text";
import { useEquipmentLabels } from "#/shared/words/use-equipment-labels";
import { useFormat } from "#/shared/format/use-format";
import { isLate } from "./late";
import { meterRaised, setsMeter } from "./later-records";
import { hasNoMeter, hasWrongUnit, unitOf } from "./unit";

/** Whether the server has flagged it. */
export function isFlagged({ flags, belowCurrent }: OperatorUpdate): boolean {
  return belowCurrent || flags.length > 0;
}

/** Whether it can only be applied with a value from the manager. */
export function needsValue(update: OperatorUpdate): boolean {
  return update.belowCurrent || hasWrongUnit(update);
}

/** Whether its reading is below that of another waiting update, and not below the meter. */
export function isBelowWaiting(update: OperatorUpdate, meter: Equipment | undefined): boolean {
  const { newUsage, belowCurrent } = update;
  if (!belowCurrent || !meter || newUsage === undefined || isLate(update, meter)) return false;
  return newUsage >= meter.meterReading;
}

/** The meter if its last reading is the lower, later one that a reading contradicts. */
function readingAbove(update: OperatorUpdate, meter: Equipment): Equipment | null {
  const { newUsage } = update;
  // The readings of two meters can't be compared.
  if (newUsage === undefined || hasWrongUnit(update) || hasEarlierMeters(meter)) return null;
  return isLate(update, meter) && newUsage > meter.meterReading ? meter : null;
}

/** The server's flags, in display order. `gone` is the reason of "refused" and replaces it. */
function flagsOf({ flags, belowCurrent }: OperatorUpdate, gone: boolean): string[] {
  const all = new Set(belowCurrent ? ["below_meter", ...flags] : flags);
  if (gone) all.delete("refused");
  return gone ? ["gone", ...all] : [...all];
}

/** What the texts of flags need to know about the machine. */
interface FlagFacts {
  gone: boolean;
  /** See `useMeterBefore`. */
  before: number | undefined;
  /** See `useMeterEndedBelow`. */
  ended: MeterSegment | undefined;
  /** See `useLaterRecords`. */
  later: readonly HistoryRecord[] | undefined;
}

const day = 86_400_000;

/**
 * The increase of an update and its days; null if the meter has been read since, so that the former
 * figures are unknown.
 */
export function jumpOf(
  update: Pick<OperatorUpdate, "newUsage" | "usageIncrease" | "capturedAt">,
  meter: Pick<Equipment, "meterReading" | "meterReadAt">,
): { moved: number; days: number } | null {
  const { newUsage, usageIncrease } = update;
  if (!update.capturedAt || !meter.meterReadAt) return null;
  const moved =
    newUsage === undefined ? (usageIncrease ?? 0) : meterDifference(meter.meterReading, newUsage);
  const passed =
    timestampDate(update.capturedAt).getTime() - timestampDate(meter.meterReadAt).getTime();
  if (moved <= 0 || passed < 0) return null;
  return { moved, days: Math.max(1, Math.round(passed / day)) };
}

/** The flags of an update as sentences with figures. */
export function useFlagTexts() {
  const { t } = useTranslation();
  const format = useFormat();
  const text = useUpdateText();
  const labels = useEquipmentLabels();
  return useCallback(
    (
      update: OperatorUpdate,
      equipment: Equipment | undefined,
      { gone, before, ended, later }: FlagFacts,
    ): string[] => {
      const unit = unitOf(update, equipment);
      const below = () => {
        const { newUsage, previousUsage } = update;
        if (isLate(update, equipment)) return t("review.flags.belowThen");
        if (newUsage === undefined) return t("review.flags.belowUnknown");
        const under = (meter: number) => text.amount(meterDifference(newUsage, meter), unit);
        const meter = equipment?.meterReading;
        if (before !== undefined && before !== meter && before > newUsage) {
          const figures = { amount: under(before), meter: format.number(before) };
          return t("review.flags.belowMeterThen", figures);
        }
        if (meter !== undefined && meter > newUsage) {
          const figures = { amount: under(meter), meter: format.number(meter) };
          return t("review.flags.belowMeter", figures);
        }
        if (previousUsage !== undefined && previousUsage > newUsage) {
          return t("review.flags.wasBelow", { amount: under(previousUsage) });
        }
        return isBelowWaiting(update, equipment)
          ? t("review.flags.belowWaiting")
          : t("review.flags.belowUnknown");
      };
      const contradicts = () => {
        if (ended?.endedAt) {
          const figures = {
            end: text.amount(ended.endReading, unit),
            day: format.instantDay(timestampDate(ended.endedAt)),
          };
          return ended.endedBy === MeterChange.ROLLED_OVER
            ? t("review.flags.aboveRollover", figures)
            : t("review.flags.aboveEnd", figures);
        }
        const raised = equipment && later && meterRaised(update, equipment, later);
        if (raised) {
          return t("review.flags.aboveService", {
            day: format.calendarDate(raised.day),
            service: text.amount(raised.service, unit),
            meter: text.amount(raised.meter, unit),
          });
        }
        const above = equipment && later?.some(setsMeter) ? readingAbove(update, equipment) : null;
        return above?.meterReadAt
          ? t("review.flags.aboveLater", {
              later: text.amount(above.meterReading, unit),
              when: format.instant(timestampDate(above.meterReadAt)),
            })
          : t("review.flags.contradicts");
      };
      const jump = () => {
        const figures = equipment && jumpOf(update, equipment);
        if (!figures) return t("review.flags.jumpUnknown");
        const usual = equipment.usualDailyUse;
        const amount = text.amount(figures.moved, unit);
        return usual === undefined
          ? t("review.flags.jumpMost", { count: figures.days, amount })
          : t("review.flags.jump", {
              count: figures.days,
              amount,
              usual: text.usual(usual, unit),
            });
      };
      const fuel = () => {
        const amount = labels.gallons(update.fuelAdded);
        const usual = equipment?.usualFill;
        return usual === undefined
          ? t("review.flags.fuelMost", { amount })
          : t("review.flags.fuelHigh", { amount, usual: labels.gallons(usual) });
      };
      const wrongFuel = () => {
        const given = labels.fuelKind(fuelKindWord(update.fuelKind));
        const tank = equipment && equipmentFuelWord(equipment.fuel);
        return tank && tank !== "n/a"
          ? t("review.flags.wrongFuel", { given, fuel: labels.fuel(tank).toLocaleLowerCase() })
          : t("review.flags.wrongFuelUnknown", { given });
      };
      const wrongUnit = () => {
        const captured = text.unitName(update.unit);
        if (hasNoMeter(equipment)) return t("review.flags.wrongUnitNoMeter", { captured });
        return equipment
          ? t("review.flags.wrongUnit", { captured, now: text.unitName(equipment.unit) })
          : t("review.flags.wrongUnitUnknown", { captured });
      };
      return flagsOf(update, gone).map((flag) => {
        switch (flag) {
          case "gone":
            return t("review.entry.gone");
          case "below_meter":
            return below();
          case "jump":
            return jump();
          case "contradicts":
            return contradicts();
          case "fuel_high":
            return fuel();
          case "wrong_fuel":
            return wrongFuel();
          case "wrong_unit":
            return wrongUnit();
          case "repeated":
            return t("review.flags.repeated");
          case "refused":
            return t("review.flags.refused");
          case "removed_device":
            return t("review.flags.removedDevice");
          case "removed_person":
            return t("review.flags.removedPerson");
          default:
            // Unknown flags of a newer server get a generic text.
            return t("review.flags.other");
        }
      });
    },
    [t, format, text, labels],
  );
}
