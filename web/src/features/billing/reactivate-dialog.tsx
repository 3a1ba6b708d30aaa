import { useTranslation } from "react-i18next";
import { BillingService, type Subscription } from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { statusWord } from "#/domain/subscription-words";
import { useFormat } from "#/shared/format/use-format";
import { toast } from "#/shared/toast/store";
import { AlertDialog } from "#/shared/ui/alert-dialog";
import { endWithoutPause } from "./paid-time";
import { Points } from "./points";
import { useChange } from "./use-change";
import { usePrice } from "./use-price";
import { useDay } from "./use-subscription-state";

/** Ends a pause or undoes a cancellation, with its cost. */
export function ReactivateDialog({
  subscription,
  open,
  onOpenChange,
}: {
  subscription: Subscription;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  const { t } = useTranslation();
  const format = useFormat();
  const day = useDay();
  const price = usePrice()(subscription) ?? t("subscription.reactivate.usualPrice");
  const paused = statusWord(subscription.entitlements?.status ?? 0) === "paused";
  const date = day(subscription.currentPeriodEnd);
  const { start, pending, focusAfter } = useChange(BillingService.method.reactivateSubscription, {
    failed: t("subscription.reactivate.failed"),
    done: () =>
      toast.success(
        paused ? t("subscription.reactivate.resumed") : t("subscription.reactivate.kept"),
        t("subscription.reactivate.doneText"),
      ),
    close: () => onOpenChange(false),
  });
  const end = endWithoutPause(subscription);
  const billing = end
    ? [t("subscription.reactivate.continues", { date: format.instantDay(end), price })]
    : [t("subscription.reactivate.billing", { price }), t("subscription.reactivate.today")];
  const points = paused
    ? [t("subscription.reactivate.opens"), ...billing, t("subscription.reactivate.waiting")]
    : [
        t("subscription.reactivate.keepToday"),
        t("subscription.reactivate.keepRenews", { date, price }),
      ];
  return (
    <AlertDialog
      open={open}
      onOpenChange={onOpenChange}
      title={paused ? t("subscription.reactivate.title") : t("subscription.reactivate.keepTitle")}
      description={
        paused ? t("subscription.reactivate.text") : t("subscription.reactivate.keepText")
      }
      confirmLabel={
        paused ? t("subscription.reactivate.action") : t("subscription.reactivate.keepAction")
      }
      pendingLabel={
        paused ? t("subscription.reactivate.pending") : t("subscription.reactivate.keepPending")
      }
      cancelLabel={t("subscription.notNow")}
      pending={pending}
      focusAfter={focusAfter}
      tone="primary"
      onConfirm={() => start({})}
    >
      <Points items={points} />
    </AlertDialog>
  );
}
