import { useTranslation } from "react-i18next";
import { blankItem, type SetValues } from "./set-schema";

/** A usual service program to begin with. */
export function useExampleSet(): SetValues {
  const { t } = useTranslation();
  const byHours = (name: string, hours: string) => ({ ...blankItem, name, usageInterval: hours });
  return {
    name: t("task-sets.example.name"),
    unit: "hours",
    items: [
      byHours(t("task-sets.example.grease"), "50"),
      {
        ...byHours(t("task-sets.example.oil"), "250"),
        calendarInterval: "12",
      },
      byHours(t("task-sets.example.fuelFilter"), "500"),
      byHours(t("task-sets.example.hydraulics"), "2000"),
      {
        ...blankItem,
        name: t("task-sets.example.inspection"),
        calendarInterval: "1",
        calendarUnit: "years",
      },
    ],
  };
}
