import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { equipmentSummaryQuery } from "#/api/equipment-summary";
import { useErrorText } from "#/api/error-text";
import { isLimitExceeded, isLimitReached } from "#/domain/equipment-limit";
import { useFormat } from "#/shared/format/use-format";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { Skeleton } from "#/shared/ui/skeleton";

export function EquipmentInUse() {
  const { t } = useTranslation();
  const format = useFormat();
  const errorText = useErrorText();
  const summary = useQuery(equipmentSummaryQuery(useTransport()));
  const data = summary.data;
  const limited = data && data.equipmentLimit >= 0;
  return (
    <div>
      <h3 className="font-semibold">{t("subscription.equipment")}</h3>
      {summary.isPending && <Skeleton className="mt-2 h-12 w-full" />}
      {summary.error && !data && (
        <div className="mt-2">
          <ErrorPanel
            title={t("dashboard.summaryFailed")}
            reason={errorText(summary.error)}
            onRetry={() => void summary.refetch()}
            retrying={summary.isFetching}
          />
        </div>
      )}
      {data && (
        <>
          <p className="mt-2">
            {limited
              ? t("subscription.inUse", {
                  total: format.number(data.total),
                  limit: format.number(data.equipmentLimit),
                })
              : t("subscription.inUseUnlimited", { total: format.number(data.total) })}
          </p>
          {limited && (
            <div aria-hidden className="mt-2 h-2 overflow-hidden rounded-full bg-sunken">
              <div
                className="h-full rounded-full bg-accent"
                style={{ width: `${share(data.total, data.equipmentLimit)}%` }}
              />
            </div>
          )}
          {limited && isLimitReached(data) && (
            <p className="mt-2 text-sm">
              {isLimitExceeded(data) ? t("subscription.exceeded") : t("subscription.full")}
            </p>
          )}
        </>
      )}
    </div>
  );
}

function share(total: number, limit: number): number {
  return limit === 0 ? 100 : Math.min(100, (total / limit) * 100);
}
