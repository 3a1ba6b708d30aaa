import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { Bell, CheckCheck, SlidersHorizontal } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { unreadQuery } from "#/api/unread-notifications";
import { audienceOf } from "#/domain/permissions";
import { useSession } from "#/session/session";
import { EndMarker } from "#/shared/table/end-marker";
import { toast } from "#/shared/toast/store";
import { Button } from "#/shared/ui/button";
import { dialogOnDemand } from "#/shared/ui/dialog-on-demand";
import { Empty } from "#/shared/ui/empty";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { PageHeader } from "#/shared/ui/page-header";
import { Segmented } from "#/shared/ui/segmented";
import { SkeletonRows } from "#/shared/ui/skeleton";
import { NotificationList } from "./notification-list";
import { PushRow } from "./push-row";
import { useNotificationPages } from "./queries";
import type { NotificationsSearch } from "./search";
import { SmsRow } from "./sms-row";
import { useMarkRead } from "./use-mark-read";
import { WatchRow } from "./watch-row";

const SettingsDialog = dialogOnDemand(() =>
  import("./notification-settings").then((module) => module.SettingsDialog),
);

export function NotificationsPage({
  search,
  onSearch,
}: {
  search: NotificationsSearch;
  onSearch: (search: NotificationsSearch) => void;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const { query, rows, more } = useNotificationPages(search);
  const unread = useQuery(unreadQuery(useTransport())).data?.unread ?? 0;
  const { mutate: mark } = useMarkRead();
  const [setting, setSetting] = useState(false);
  const newest = rows?.[0];
  const hasUnread = rows?.some(({ read }) => !read) || (query.hasNextPage && unread > 0);
  const later = query.isFetchNextPageError;
  const failure = query.error && (
    <ErrorPanel
      title={later ? t("notifications.restFailed") : t("notifications.loadFailed")}
      reason={errorText(query.error)}
      onRetry={() => void (later ? query.fetchNextPage() : query.refetch())}
      retrying={query.isFetching}
    />
  );
  const markAll = (upTo: bigint) =>
    mark(
      { upTo },
      { onError: (error) => toast.failure(t("notifications.markFailed"), errorText(error)) },
    );
  return (
    <>
      <PageHeader
        title={t("shell.titles.notifications")}
        description={t("notifications.text")}
        actions={
          <Button onClick={() => setSetting(true)}>
            <SlidersHorizontal aria-hidden className="size-4" />
            {t("notifications.settings.open")}
          </Button>
        }
      />
      {setting && <SettingsDialog onClose={() => setSetting(false)} />}
      <div className="space-y-3">
        <PushRow />
        <WatchRow />
        <SmsRow />
        <div className="no-print flex min-h-11 flex-wrap items-center justify-between gap-3">
          <div className="w-56">
            <Segmented
              label={t("notifications.filter")}
              hideLabel
              compact
              value={search.unread ? "unread" : "all"}
              options={[
                { value: "all", label: t("notifications.all") },
                { value: "unread", label: t("notifications.unread") },
              ]}
              onChange={(next) => onSearch({ unread: next === "unread" || undefined })}
            />
          </div>
          {newest && hasUnread && (
            <Button size="small" onClick={() => markAll(newest.number)}>
              <CheckCheck aria-hidden className="size-4" />
              {t("notifications.markAll")}
            </Button>
          )}
        </div>
        {!later && failure}
        <div className="overflow-hidden rounded-card border border-line bg-raised empty:hidden">
          {query.isPending && <SkeletonRows label={t("common.loading")} />}
          {rows?.length === 0 && !query.hasNextPage && (
            <Nothing search={search} onAll={() => onSearch({ unread: undefined })} />
          )}
          {rows && (
            <NotificationList
              rows={rows}
              onOpen={({ number, read }) => {
                if (!read) mark({ number });
              }}
            />
          )}
        </div>
        {query.isFetchingNextPage && <SkeletonRows rows={2} label={t("common.loading")} />}
        {later && failure}
        {query.hasNextPage && <EndMarker onReached={more} />}
      </div>
    </>
  );
}

function Nothing({ search, onAll }: { search: NotificationsSearch; onAll: () => void }) {
  const { t } = useTranslation();
  const isOperator = audienceOf(useSession()) === "operator";
  return search.unread ? (
    <Empty
      icon={<CheckCheck aria-hidden />}
      title={t("notifications.noUnread.title")}
      description={t("notifications.noUnread.text")}
      action={<Button onClick={onAll}>{t("notifications.noUnread.all")}</Button>}
    />
  ) : (
    <Empty
      icon={<Bell aria-hidden />}
      title={t("notifications.empty.title")}
      description={
        isOperator ? t("notifications.empty.operator") : t("notifications.empty.manager")
      }
    />
  );
}
