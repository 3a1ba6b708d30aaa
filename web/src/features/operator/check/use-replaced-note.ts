import { useTranslation } from "react-i18next";
import type { UnitWord } from "#/domain/equipment-words";

/** The note about a replaced meter. The name of the meter depends on its unit. */
export function useReplacedNote(): (unit: UnitWord | undefined) => string {
  const { t } = useTranslation();
  return (unit) =>
    unit === "miles" || unit === "kilometers"
      ? t("operator.check.replacedOdometer")
      : t("operator.check.replacedNote");
}
