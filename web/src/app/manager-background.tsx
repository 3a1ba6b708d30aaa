import { Suspense, useSyncExternalStore } from "react";
import { AccessBanner } from "#/features/billing/access-banner";
import { lazyWithTexts } from "#/i18n/lazy-with-texts";
import type { User } from "#/session/session";
import { LiveUpdates } from "#/shared/live/live-updates";

const BottomBar = lazyWithTexts(["commands", "person"], () =>
  import("./bottom-bar").then((module) => module.BottomBar),
);

/** What owners and managers need after their first page has loaded. */
export function ManagerBackground({ user, bare }: { user: User; bare: boolean }) {
  const isPhone = useIsPhone();
  return (
    <>
      {!user.secondFactorMissing && <LiveUpdates />}
      {!bare && <AccessBanner />}
      {!bare && isPhone && (
        <Suspense>
          <BottomBar user={user} />
        </Suspense>
      )}
    </>
  );
}

const phones = window.matchMedia("(width < 48rem)");

function useIsPhone(): boolean {
  return useSyncExternalStore(
    (changed) => {
      phones.addEventListener("change", changed);
      return () => phones.removeEventListener("change", changed);
    },
    () => phones.matches,
  );
}
