import { timestampDate } from "@bufbuild/protobuf/wkt";
import type { Subscription } from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { statusWord } from "#/domain/subscription-words";

/** The end of the paid period after a pause from `now` to `until`; null if nothing is paid. */
export function endAfterPause({ currentPeriodEnd }: Subscription, now: Date, until: Date) {
  if (!currentPeriodEnd) return null;
  const left = timestampDate(currentPeriodEnd).getTime() - now.getTime();
  return left > 0 ? new Date(until.getTime() + left) : null;
}

/** The end of the paid period if the pause ends now; null if nothing of it is left. */
export function endWithoutPause({ currentPeriodEnd, pauseEnd, now }: Subscription) {
  if (!currentPeriodEnd || !pauseEnd || !now) return null;
  const left = timestampDate(currentPeriodEnd).getTime() - timestampDate(pauseEnd).getTime();
  return left > 0 ? new Date(timestampDate(now).getTime() + left) : null;
}

/** Whether a plan that was chosen in the trial is not charged yet. */
export function isUncharged({ entitlements, currentPeriodEnd, trialEnd }: Subscription): boolean {
  return (
    statusWord(entitlements?.status ?? 0) === "active" &&
    currentPeriodEnd !== undefined &&
    currentPeriodEnd.seconds === trialEnd?.seconds
  );
}
