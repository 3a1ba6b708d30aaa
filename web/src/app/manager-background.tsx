import { useEffect } from "react";
import type { User } from "#/session/session";
import { LiveUpdates } from "#/shared/live/live-updates";
import { keepFocus } from "#/shared/ui/keep-focus";

/** What owners and managers need after their first page has loaded. */
export function ManagerBackground({ user }: { user: User }) {
  useEffect(keepFocus, []);
  return user.secondFactorMissing ? null : <LiveUpdates />;
}
