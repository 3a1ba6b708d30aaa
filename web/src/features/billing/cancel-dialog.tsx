import { useTranslation } from "react-i18next";
import { BillingService, type Subscription } from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { statusWord } from "#/domain/subscription-words";
import { useFormat } from "#/shared/format/use-format";
import { toast } from "#/shared/toast/store";
import { AlertDialog } from "#/shared/ui/alert-dialog";
import { endWithoutPause } from "./paid-time";
import { Points } from "./points";
import { useChange } from "./use-change";
import { isAgreed, useDay } from "./use-subscription-state";

/** Ends a trial immediately, or a plan at the end of the paid period; owner only. */
export function CancelDialog({
  subscription,
  open,
  onOpenChange,
}: {
  subscription: Subscription;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  const { t } = useTranslation();
  const day = useDay();
  const trial = statusWord(subscription.entitlements?.status ?? 0) === "trial";
  const points = useWhatHappens(subscription);
  const { start, pending, focusAfter } = useChange(BillingService.method.cancelSubscription, {
    failed: t("subscription.cancel.failed"),
    done: (canceled) => {
      const until = canceled?.entitlements?.active ? day(canceled.currentPeriodEnd) : "";
      toast.success(
        trial ? t("subscription.cancel.trialDone") : t("subscription.cancel.done"),
        until
          ? t("subscription.cancel.doneUntil", { date: until })
          : t("subscription.cancel.doneNow"),
      );
    },
    close: () => onOpenChange(false),
  });
  return (
    <AlertDialog
      open={open}
      onOpenChange={onOpenChange}
      title={trial ? t("subscription.cancel.trialTitle") : t("subscription.cancel.title")}
      description={t("subscription.cancel.text")}
      confirmLabel={trial ? t("subscription.cancel.trialConfirm") : t("subscription.cancel.action")}
      pendingLabel={t("subscription.cancel.pending")}
      cancelLabel={trial ? t("subscription.cancel.trialKeep") : t("subscription.cancel.keep")}
      pending={pending}
      focusAfter={focusAfter}
      onConfirm={() => start({})}
    >
      <Points items={points} />
    </AlertDialog>
  );
}

function useWhatHappens(subscription: Subscription): string[] {
  const { t } = useTranslation();
  const format = useFormat();
  const day = useDay();
  const date = day(subscription.currentPeriodEnd);
  const end = endWithoutPause(subscription);
  const stays = [t("subscription.cancel.data"), t("subscription.cancel.operators")];
  const status = statusWord(subscription.entitlements?.status ?? 0);
  if (status === "trial") {
    return [t("subscription.cancel.trialAccess"), ...stays, t("subscription.cancel.trialBack")];
  }
  const back = t("subscription.cancel.back");
  if (subscription.graceEnd || !date) {
    return [t("subscription.cancel.failedAccess"), ...stays, back];
  }
  return [accessText(), t("subscription.cancel.billing"), ...stays, back];

  function accessText(): string {
    if (status === "paused") {
      return end
        ? t("subscription.cancel.pausedUntil", { date: format.instantDay(end) })
        : t("subscription.cancel.pausedAccess");
    }
    return isAgreed(subscription)
      ? t("subscription.cancel.agreedAccess", { date })
      : t("subscription.cancel.access", { date });
  }
}
