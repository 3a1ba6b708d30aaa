import { useTransport } from "@connectrpc/connect-query";
import { useInfiniteQuery } from "@tanstack/react-query";
import { History } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { Button } from "#/shared/ui/button";
import { Card } from "#/shared/ui/card";
import { Empty } from "#/shared/ui/empty";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { SkeletonRows } from "#/shared/ui/skeleton";
import { HistoryItem } from "./history-item";
import { historyQuery } from "./queries";

/** What happened to the equipment lately; the list scrolls within its 400 pixels. */
export function HistoryCard() {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const history = useInfiniteQuery(historyQuery(useTransport()));
  const records = history.data?.pages.flatMap((page) => page.records);
  return (
    <Card title={t("dashboard.history.title")} flush>
      {history.error && (
        <div className="px-4 pb-4">
          <ErrorPanel
            title={t("dashboard.history.failed")}
            reason={errorText(history.error)}
            onRetry={() => void (records ? history.fetchNextPage() : history.refetch())}
            retrying={history.isFetching}
          />
        </div>
      )}
      {history.isPending && <SkeletonRows rows={5} label={t("common.loading")} />}
      {records?.length === 0 && (
        <Empty
          icon={<History aria-hidden />}
          title={t("dashboard.history.emptyTitle")}
          description={t("dashboard.history.emptyText")}
        />
      )}
      {records && records.length > 0 && (
        // Reachable by key, so that it can be scrolled without a mouse.
        <div
          role="region"
          aria-label={t("dashboard.history.title")}
          tabIndex={0}
          className="h-[400px] overflow-y-auto border-t border-line"
        >
          <ul className="divide-y divide-line">
            {records.map((record) => (
              <HistoryItem key={record.id} record={record} />
            ))}
          </ul>
          {history.hasNextPage && (
            <div className="p-3 text-center">
              <Button
                size="small"
                onClick={() => void history.fetchNextPage()}
                pending={history.isFetchingNextPage}
                pendingLabel={t("common.loading")}
              >
                {t("dashboard.history.more")}
              </Button>
            </div>
          )}
        </div>
      )}
    </Card>
  );
}
