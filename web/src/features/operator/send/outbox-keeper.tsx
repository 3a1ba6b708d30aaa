import { Suspense, useEffect } from "react";
import { useSessionEnded } from "#/session/state";
import { afterFrame, useWaited } from "#/shared/idle";
import { LiveSync, OutboxView } from "../lazy-parts";
import { useLogoutElsewhere } from "./use-logout-elsewhere";
import { useOutbox } from "./use-outbox";

/** Sends waiting entries on every operator page, and shows what is unsent. */
export function OutboxKeeper({ userId }: { userId: string }) {
  const outbox = useOutbox(userId);
  const ended = useSessionEnded();
  useLogoutElsewhere();
  useEffect(() => outbox.start(), [outbox]);
  // Resume sending after a new sign-in.
  useEffect(() => {
    if (!ended) void outbox.flush();
  }, [ended, outbox]);
  // The code of these parts must not load before the page is shown.
  const isPageShown = useWaited(afterFrame);
  if (!isPageShown) return null;
  return (
    <>
      <Suspense>
        <OutboxView outbox={outbox} userId={userId} />
      </Suspense>
      <Suspense>
        <LiveSync />
      </Suspense>
    </>
  );
}
