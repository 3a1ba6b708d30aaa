import { useTranslation } from "react-i18next";
import type { Tier } from "#/domain/plan";

/** Features that this version of the client has a text for. */
export const featureKeys = [
  "equipment_tracking",
  "operators",
  "operator_updates",
  "service_scheduling",
  "notes_history",
  "exports",
  "parts_entry",
  "fuel_analytics",
] as const;

/** The texts of the catalogue's plans and features. */
export function usePlanText() {
  const { t } = useTranslation();
  return {
    name: (tier: Tier): string => {
      switch (tier) {
        case "basic":
          return t("plans.basic.name");
        case "professional":
          return t("plans.professional.name");
        case "enterprise":
          return t("plans.enterprise.name");
      }
    },
    description: (tier: Tier): string => {
      switch (tier) {
        case "basic":
          return t("plans.basic.description");
        case "professional":
          return t("plans.professional.description");
        case "enterprise":
          return t("plans.enterprise.description");
      }
    },
    /** Null for a feature of a newer server. */
    feature: (name: string): string | null => {
      switch (name) {
        case "equipment_tracking":
          return t("plans.features.equipmentTracking");
        case "operators":
          return t("plans.features.operators");
        case "operator_updates":
          return t("plans.features.operatorUpdates");
        case "service_scheduling":
          return t("plans.features.serviceScheduling");
        case "notes_history":
          return t("plans.features.notesHistory");
        case "exports":
          return t("plans.features.exports");
        case "parts_entry":
          return t("plans.features.partsEntry");
        case "fuel_analytics":
          return t("plans.features.fuelAnalytics");
        default:
          return null;
      }
    },
  };
}
