import type { UseQueryResult } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import type { GetCompanySettingsResponse } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { Button } from "#/shared/ui/button";
import { Card } from "#/shared/ui/card";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { Notice } from "#/shared/ui/notice";
import { Skeleton } from "#/shared/ui/skeleton";

const mask = "••••••••";

/** Current Settings; shows only whether there is an operator password. */
export function SettingsCard({
  settings: query,
  onChange,
}: {
  settings: UseQueryResult<GetCompanySettingsResponse>;
  onChange: () => void;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const settings = query.data?.settings;
  const failure = query.error && (
    <ErrorPanel
      title={t("operators.settings.loadFailed")}
      reason={errorText(query.error)}
      onRetry={() => void query.refetch()}
      retrying={query.isFetching}
    />
  );
  if (failure && !settings) return failure;
  return (
    <Card title={t("operators.settings.current")}>
      {query.isPending && <Skeleton className="h-12 w-full" />}
      {failure}
      {settings && (
        <div className="space-y-4">
          <dl className="flex flex-wrap gap-x-16 gap-y-3">
            <div className="min-w-0">
              <dt className="text-sm text-muted">{t("operators.settings.companyName")}</dt>
              <dd dir="auto" className="font-semibold wrap-anywhere">
                {settings.companyName}
              </dd>
            </div>
            <div>
              <dt className="text-sm text-muted">{t("operators.settings.operatorPassword")}</dt>
              <dd className="font-semibold">
                {settings.operatorPasswordSet ? (
                  <>
                    <span aria-hidden className="font-mono">
                      {mask}
                    </span>
                    <span className="sr-only">{t("operators.settings.isSet")}</span>
                  </>
                ) : (
                  t("operators.settings.notSet")
                )}
              </dd>
            </div>
          </dl>
          {settings.operatorPasswordSet && settings.operatorPasswordStale && (
            <Notice>
              <p className="font-semibold">{t("operators.settings.staleTitle")}</p>
              <p className="mt-0.5 max-w-prose">{t("operators.settings.stale")}</p>
              <Button variant="primary" size="small" className="mt-2.5" onClick={onChange}>
                {t("operators.settings.changePassword")}
              </Button>
            </Notice>
          )}
        </div>
      )}
    </Card>
  );
}
