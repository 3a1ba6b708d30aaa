import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { clsx } from "clsx";
import { Bell } from "lucide-react";
import { Suspense } from "react";
import { useTranslation } from "react-i18next";
import { unreadQuery } from "#/api/unread-notifications";
import { useSessionEnded } from "#/session/state";
import { idlePart } from "#/shared/lazy-part";
import { buttonClass } from "#/shared/ui/button-class";
import { CountBadge, countText } from "#/shared/ui/count-badge";
import { PageLink } from "#/shared/ui/page-link";

const PushKeeper = idlePart(() => import("./push-keeper").then((module) => module.PushKeeper));

/** The header's link to the notifications, with the number of unread ones. */
export function NotificationBell() {
  const { t } = useTranslation();
  const ended = useSessionEnded();
  const { data } = useQuery({ ...unreadQuery(useTransport()), enabled: !ended });
  const unread = data?.unread ?? 0;
  const title = t("shell.titles.notifications");
  const mayShow = "Notification" in window && Notification.permission === "granted";
  return (
    <PageLink
      to="/notifications"
      aria-label={unread > 0 ? `${title} ${countText(unread)}` : title}
      className={clsx(
        buttonClass({ variant: "quiet", size: "small", icon: true }),
        "aria-[current=page]:bg-sunken",
      )}
    >
      {mayShow && (
        <Suspense>
          <PushKeeper />
        </Suspense>
      )}
      <span className="relative">
        <Bell aria-hidden className="size-5" />
        {unread > 0 && (
          <span className="absolute -top-2 -right-2.5 grid w-max">
            <CountBadge count={unread} />
          </span>
        )}
      </span>
    </PageLink>
  );
}
