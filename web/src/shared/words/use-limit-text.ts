import { useTranslation } from "react-i18next";
import type { GetSummaryResponse } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { isLimitExceeded, isLimitReached } from "#/domain/equipment-limit";

/** Why equipment can't be added; undefined if it can. */
export function useLimitText(summary: GetSummaryResponse | undefined): string | undefined {
  const { t } = useTranslation();
  if (!summary || !isLimitReached(summary)) return undefined;
  const { equipmentLimit, total } = summary;
  return isLimitExceeded(summary)
    ? t("equipment.limit.exceeded", { count: equipmentLimit, total })
    : t("equipment.limit.reached", { count: equipmentLimit });
}
