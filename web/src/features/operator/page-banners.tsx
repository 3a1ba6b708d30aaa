import { Users, WifiOff } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { toFailure } from "#/api/errors";
import { useOnline } from "#/shared/online";
import { Button } from "#/shared/ui/button";
import { useDevice } from "./send/device-state";
import type { OperatorPageState } from "./use-operator-page";
import { useWhen } from "./use-when";

export function PageBanners({ page }: { page: OperatorPageState }) {
  return (
    <div className="mb-5 space-y-2 empty:hidden">
      <OfflineBanner page={page} />
      <OthersBanner />
    </div>
  );
}

/** Shown while the machines are those of the last sync. */
function OfflineBanner({ page: { list } }: { page: OperatorPageState }) {
  const { t } = useTranslation();
  const when = useWhen();
  const online = useOnline();
  const failure = list.error ? toFailure(list.error) : null;
  // The sign-in panel covers an ended session.
  if (failure?.status === 401 || (online && !failure)) return null;
  const offline = !online || failure?.status === 0;
  return (
    <Banner
      icon={<WifiOff aria-hidden className="mt-0.5 size-5 shrink-0 text-muted" />}
      // The list refetches automatically when the connection returns.
      action={
        !offline && (
          <Button
            size="small"
            onClick={list.refetch}
            pending={list.refreshing}
            pendingLabel={t("common.tryingAgain")}
          >
            {t("common.tryAgain")}
          </Button>
        )
      }
    >
      <span className="font-semibold">
        {t(offline ? "operator.offline.title" : "operator.offline.stale")}
      </span>{" "}
      {list.syncedAt
        ? t("operator.offline.text", { when: when.at(list.syncedAt) })
        : t("operator.offline.nothing")}
    </Banner>
  );
}

/** Shows unsent entries of other users on a shared phone. */
function OthersBanner() {
  const { t } = useTranslation();
  const { others } = useDevice();
  return others.map(({ userId, username, operatorName, unsent, isEnrolled }) => {
    const name = operatorName ?? username;
    return (
      <Banner
        key={userId}
        icon={<Users aria-hidden className="mt-0.5 size-5 shrink-0 text-muted" />}
      >
        {isEnrolled
          ? t("device.waitingSignal", { count: unsent, name })
          : name === null
            ? t("device.waitingHereUnknown", { count: unsent })
            : t("device.waitingHere", { count: unsent, name })}
      </Banner>
    );
  });
}

function Banner({
  icon,
  action,
  children,
}: {
  icon: ReactNode;
  action?: ReactNode;
  children: ReactNode;
}) {
  return (
    <div className="flex items-center gap-3 rounded-(--control-radius) border border-line bg-sunken px-3.5 py-2">
      <p className="flex min-w-0 flex-1 gap-2.5 text-sm">
        {icon}
        <span className="min-w-0">{children}</span>
      </p>
      {action}
    </div>
  );
}
