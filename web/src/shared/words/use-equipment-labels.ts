import type { TFunction } from "i18next";
import type { Equipment } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useFuelUnit } from "#/shared/format/fuel-unit";
import { useFormat } from "#/shared/format/use-format";
import type { TypeWord } from "#/domain/equipment-types";
import type { EquipmentFuelWord, FuelKindWord, UnitWord } from "#/domain/equipment-words";
import type { ServiceDue } from "#/domain/service-due";
import type { ShownStatus } from "#/domain/shown-status";

export type EquipmentLabels = ReturnType<typeof useEquipmentLabels>;

/** The labels of equipment values. */
export function useEquipmentLabels() {
  const { t } = useTranslation();
  const format = useFormat();
  const chosenUnit = useFuelUnit();
  return useMemo(() => {
    const fuelUnit = chosenUnit === "gal" ? t("labels.gallons") : chosenUnit;
    const amount = (value: number, unit: UnitWord) =>
      amountText(t, value, format.number(value), unit);
    return {
      type: (type: TypeWord) => typeLabel(t, type),
      unit: (unit: UnitWord) => unitLabel(t, unit),
      fuel: (fuel: EquipmentFuelWord) => fuelLabel(t, fuel),
      fuelKind: (kind: FuelKindWord) =>
        kind === "gas" ? t("labels.fuelKinds.gas") : t("labels.fuelKinds.diesel"),
      /** The company's fuel unit. */
      fuelUnit,
      /** Fuel always shows one decimal. */
      gallons: (value: number) => format.fuel(value, fuelUnit),
      badge: (badge: ShownStatus) => badgeLabel(t, badge),
      /** "4,812.5 hours"; the number alone without a unit. */
      amount,
      due: (due: ServiceDue, unit: UnitWord) => {
        switch (due.kind) {
          case "overdueBy":
            return t("labels.due.overdueBy", { amount: amount(due.amount, unit) });
          case "dueAt":
            return [
              due.at !== null && t("labels.due.dueAt", { value: format.number(due.at) }),
              due.over > 0 && t("labels.due.past", { amount: amount(due.over, unit) }),
            ]
              .filter(Boolean)
              .join(" · ");
          case "until":
            return t("labels.due.until", { amount: amount(due.amount, unit) });
        }
      },
      /** Without a due point: a meter that was never read has none yet. */
      noDue: (equipment: Pick<Equipment, "serviceInterval" | "meterReadAt">) =>
        equipment.serviceInterval > 0 && !equipment.meterReadAt
          ? t("labels.due.noReading")
          : t("labels.due.noSchedule"),
      /** "maintenance in 5 days, Jan 5, 2025" */
      /** Without a date if it is shown beside it. */
      schedule: (days: number, date?: string) =>
        date === undefined
          ? scheduleText(t, days)
          : t("labels.due.scheduled", {
              when: scheduleText(t, days),
              // The date does not break within itself.
              date: format.calendarDate(date).replaceAll(" ", "\u00a0"),
            }),
    };
  }, [t, format, chosenUnit]);
}

function amountText(t: TFunction, count: number, amount: string, unit: UnitWord): string {
  switch (unit) {
    case "hours":
      return t("labels.amounts.hours", { count, amount });
    case "miles":
      return t("labels.amounts.miles", { count, amount });
    case "kilometers":
      return t("labels.amounts.kilometers", { count, amount });
    case "n/a":
      return amount;
  }
}

function scheduleText(t: TFunction, days: number): string {
  if (days === 0) return t("labels.due.maintenanceToday");
  return days > 0
    ? t("labels.due.maintenanceIn", { count: days })
    : t("labels.due.maintenanceLate", { count: -days });
}

function typeLabel(t: TFunction, type: TypeWord): string {
  switch (type) {
    case "vehicle":
      return t("labels.types.vehicle");
    case "machinery":
      return t("labels.types.machinery");
    case "tools":
      return t("labels.types.tools");
    case "other":
      return t("labels.types.other");
  }
}

function unitLabel(t: TFunction, unit: UnitWord): string {
  switch (unit) {
    case "hours":
      return t("labels.units.hours");
    case "miles":
      return t("labels.units.miles");
    case "kilometers":
      return t("labels.units.kilometers");
    case "n/a":
      return t("labels.units.none");
  }
}

function fuelLabel(t: TFunction, fuel: EquipmentFuelWord): string {
  switch (fuel) {
    case "gasoline":
      return t("labels.fuels.gasoline");
    case "diesel":
      return t("labels.fuels.diesel");
    case "n/a":
      return t("labels.fuels.none");
  }
}

function badgeLabel(t: TFunction, badge: ShownStatus): string {
  switch (badge) {
    case "no_plan":
      return t("labels.badges.noPlan");
    case "snoozed":
      return t("labels.badges.snoozed");
    case "good":
      return t("labels.badges.good");
    case "approaching_service":
      return t("labels.badges.approachingService");
    case "time_for_service":
      return t("labels.badges.timeForService");
    case "overdue":
      return t("labels.badges.overdue");
    case "maintenance_scheduled":
      return t("labels.badges.maintenanceScheduled");
    case "maintenance_due_soon":
      return t("labels.badges.maintenanceDueSoon");
    case "maintenance_overdue":
      return t("labels.badges.maintenanceOverdue");
  }
}
