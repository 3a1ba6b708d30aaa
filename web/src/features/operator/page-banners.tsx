import { WifiOff } from "lucide-react";
import { Suspense } from "react";
import { useTranslation } from "react-i18next";
import { toFailure } from "#/api/errors";
import { useSessionEnded } from "#/session/state";
import { useOnline } from "#/shared/online";
import { Button } from "#/shared/ui/button";
import { Banner } from "./banner";
import { OthersBanner } from "./lazy-parts";
import { useOutboxState } from "./send/outbox-state";
import type { OperatorPageState } from "./use-operator-page";
import { useWhen } from "#/shared/words/use-when";

export function PageBanners({ page }: { page: OperatorPageState }) {
  return (
    <div className="mb-5 space-y-2 empty:hidden">
      <OfflineBanner page={page} />
      <Suspense>
        <OthersBanner />
      </Suspense>
    </div>
  );
}

/** Shown while the machines are those of the last sync. */
export function OfflineBanner({
  page: { list, outbox },
}: {
  page: Pick<OperatorPageState, "list" | "outbox">;
}) {
  const { t } = useTranslation();
  const when = useWhen();
  const online = useOnline();
  const { blockedBy, durable } = useOutboxState(outbox);
  const ended = useSessionEnded();
  const failure = list.error ? toFailure(list.error) : null;
  // The sign-in panel covers an ended session.
  if (failure?.status === 401 || (online && !failure)) return null;
  const offline = !online || failure?.status === 0;
  // The bar of unsent updates already says that there is no signal.
  const isSaid = blockedBy === "offline" && durable && !ended;
  const text = list.syncedAt
    ? t("operator.offline.text", { when: when.at(list.syncedAt) })
    : t("operator.offline.nothing");
  if (offline && isSaid) return <p className="text-sm text-muted">{text}</p>;
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
      {text}
    </Banner>
  );
}
