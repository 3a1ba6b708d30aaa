import { useTranslation } from "react-i18next";

/** The trial's length: whole weeks as weeks, others as days. */
export function useTrialLength(days: number | undefined): string | null {
  const { t } = useTranslation();
  if (days === undefined) return null;
  return days % 7 === 0
    ? t("common.trialWeeks", { count: days / 7 })
    : t("common.trialDays", { count: days });
}
