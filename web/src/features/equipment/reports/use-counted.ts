import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import { useFormat } from "#/shared/format/use-format";

/** "1,204 pieces of equipment" */
export function useCounted(): (count: number) => string {
  const { t } = useTranslation();
  const format = useFormat();
  return useCallback(
    (count) => t("equipment.count", { count, amount: format.number(count) }),
    [t, format],
  );
}
