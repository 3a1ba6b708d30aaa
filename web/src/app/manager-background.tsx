import { useEffect } from "react";
import { AccessBanner } from "#/features/billing/access-banner";
import type { User } from "#/session/session";
import { LiveUpdates } from "#/shared/live/live-updates";
import { keepFocus } from "#/shared/ui/keep-focus";

/** What owners and managers need after their first page has loaded. */
export function ManagerBackground({ user, bare }: { user: User; bare: boolean }) {
  useEffect(keepFocus, []);
  return (
    <>
      {!user.secondFactorMissing && <LiveUpdates />}
      {!bare && <AccessBanner />}
    </>
  );
}
