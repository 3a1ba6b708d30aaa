import { Link } from "@tanstack/react-router";
import { ReceiptText } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { SubscriptionAction, type Subscription } from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { useSession } from "#/session/session";
import { mayCancelSubscription } from "#/domain/permissions";
import { allows, statusWord } from "#/domain/subscription-words";
import { Button } from "#/shared/ui/button";
import { CancelDialog } from "./cancel-dialog";
import { PauseDialog } from "./pause-dialog";
import { ReactivateDialog } from "./reactivate-dialog";
import { usePortal } from "./use-provider-page";

type OpenDialog = "pause" | "reactivate" | "cancel" | null;

/** The actions that the server allows now, in its order. */
export function PlanActions({ subscription }: { subscription: Subscription }) {
  const { t } = useTranslation();
  const [openDialog, setOpenDialog] = useState<OpenDialog>(null);
  const ask = (which: OpenDialog) => ({
    open: openDialog === which,
    onOpenChange: (open: boolean) => setOpenDialog(open ? which : null),
  });
  const owns = mayCancelSubscription(useSession());
  const status = statusWord(subscription.entitlements?.status ?? 0);
  const can = (action: SubscriptionAction) => allows(subscription, action);
  // The next step after paying; anything that needs an answer is more urgent.
  const opensFuel =
    subscription.entitlements?.fuelAnalytics &&
    !can(SubscriptionAction.REACTIVATE) &&
    !can(SubscriptionAction.CHECKOUT) &&
    !subscription.graceEnd;
  const cancel = can(SubscriptionAction.CANCEL);
  return (
    <div className="mt-6 border-t border-line pt-4">
      <div className="flex flex-col gap-2 sm:flex-row sm:flex-wrap sm:items-center">
        {can(SubscriptionAction.REACTIVATE) && (
          <Button variant="primary" onClick={() => setOpenDialog("reactivate")}>
            {status === "paused"
              ? t("subscription.reactivate.action")
              : t("subscription.reactivate.keepAction")}
          </Button>
        )}
        {opensFuel && (
          <Button asChild variant="primary">
            <Link to="/fuel">{t("subscription.openFuel")}</Link>
          </Button>
        )}
        {can(SubscriptionAction.CHECKOUT) && (
          <Button variant="primary" onClick={showPlans}>
            {t("subscription.choose")}
          </Button>
        )}
        {subscription.graceEnd && subscription.hasPortal && (
          <Portal primary label={t("subscription.portal.mend")} />
        )}
        {can(SubscriptionAction.CHANGE_PLAN) && (
          <Button onClick={showPlans}>{t("subscription.change.action")}</Button>
        )}
        {can(SubscriptionAction.PAUSE) && (
          <Button onClick={() => setOpenDialog("pause")}>{t("subscription.pause.action")}</Button>
        )}
        {subscription.hasPortal && !subscription.graceEnd && (
          <Portal label={t("subscription.portal.action")} />
        )}
        {cancel && owns && (
          <Button variant="quiet" className="sm:ml-auto" onClick={() => setOpenDialog("cancel")}>
            {status === "trial"
              ? t("subscription.cancel.trialAction")
              : t("subscription.cancel.action")}
          </Button>
        )}
      </div>
      {cancel && !owns && (
        <p className="mt-3 text-sm text-muted">{t("subscription.cancel.ownerOnly")}</p>
      )}
      <PauseDialog subscription={subscription} {...ask("pause")} />
      <ReactivateDialog subscription={subscription} {...ask("reactivate")} />
      <CancelDialog subscription={subscription} {...ask("cancel")} />
    </div>
  );
}

function Portal({ label, primary = false }: { label: string; primary?: boolean }) {
  const { t } = useTranslation();
  const { open, opening } = usePortal();
  return (
    <Button
      variant={primary ? "primary" : "secondary"}
      pending={opening}
      pendingLabel={t("subscription.portal.opening")}
      onClick={open}
    >
      <ReceiptText aria-hidden className="size-4" />
      {label}
    </Button>
  );
}

/** Scrolls to the plans and focuses them. */
function showPlans(): void {
  const plans = document.getElementById("plans");
  plans?.scrollIntoView({ block: "start" });
  plans?.focus({ preventScroll: true });
}
