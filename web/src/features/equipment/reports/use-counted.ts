import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import { useFormat } from "#/shared/format/use-format";

/** "1,204 pieces of equipment", or with a total "4 of 1,204 pieces of equipment". */
export function useCounted(): (count: number, total?: number) => string {
  const { t } = useTranslation();
  const format = useFormat();
  return useCallback(
    (count, total) =>
      total === undefined
        ? t("equipment-list.count", { count, amount: format.number(count) })
        : t("equipment-list.shown", {
            count: total,
            shown: format.number(count),
            total: format.number(total),
          }),
    [t, format],
  );
}
