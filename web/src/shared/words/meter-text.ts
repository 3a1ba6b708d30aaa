import type { TFunction } from "i18next";
import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import type { FuelKindWord, UnitWord } from "#/domain/equipment-words";
import { useEquipmentLabels } from "./use-equipment-labels";

/** Rounds the floating-point remainder of a subtraction. */
export function meterDifference(before: number, after: number): number {
  return Math.round((after - before) * 100) / 100;
}

/** Rounds the usual amount per day for display: distances to whole numbers, others to one decimal. */
export function roundUsual(value: number, unit: UnitWord): number {
  const whole = unit === "miles" || unit === "kilometers";
  const rounded = whole ? Math.round(value) : Math.round(value * 10) / 10;
  // Small amounts are not rounded to 0.
  return rounded > 0 ? rounded : value;
}

/** A unit of usage beside a number. */
export function unitShort(t: TFunction, unit: UnitWord): string {
  switch (unit) {
    case "hours":
      return t("updates.unitsShort.hours");
    case "miles":
      return t("updates.unitsShort.miles");
    case "kilometers":
      return t("updates.unitsShort.kilometers");
    case "n/a":
      return "";
  }
}

/** "12.0 gal diesel", "12.0 gal diesel, filled up". */
export function useFuelText(): (amount: number, kind: FuelKindWord, full?: boolean) => string {
  const { t } = useTranslation();
  const { gallons } = useEquipmentLabels();
  return useCallback(
    (amount, kind, full = false) => {
      const fuel =
        kind === "gas"
          ? t("updates.fuel.gas", { amount: gallons(amount) })
          : t("updates.fuel.diesel", { amount: gallons(amount) });
      return full ? t("updates.fuel.full", { fuel }) : fuel;
    },
    [t, gallons],
  );
}
