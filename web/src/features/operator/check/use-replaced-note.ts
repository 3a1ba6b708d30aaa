import { useTranslation } from "react-i18next";
import type { UnitWord } from "#/domain/equipment-words";

/** What tells the manager that another meter is fitted; a crew calls the meter differently by unit. */
export function useReplacedNote(): (unit: UnitWord | undefined) => string {
  const { t } = useTranslation();
  return (unit) =>
    unit === "miles" || unit === "kilometers"
      ? t("operator.check.replacedOdometer")
      : t("operator.check.replacedNote");
}
