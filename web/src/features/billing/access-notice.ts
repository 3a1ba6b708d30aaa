import { useEffect } from "react";
import type { Subscription } from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { createStoredChoice } from "#/shared/store";

/** Whether access had ended on the last page. The next page loads the notice before it is idle. */
export const accessNotice = createStoredChoice("accessNotice", ["none", "shown"]);

export function useAccessNotice(subscription: Subscription | undefined): void {
  const active = subscription?.entitlements?.active;
  useEffect(() => {
    if (active !== undefined) accessNotice.set(active ? "none" : "shown");
  }, [active]);
}
