import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { equipmentSummaryQuery } from "#/api/equipment-summary";
import {
  BillingService,
  BillingInterval,
  type Subscription,
} from "#/api/gen/hourmeter/billing/v1/billing_pb";
import type { Plan } from "#/api/plans";
import { usePlanText } from "#/shared/words/plan-text";
import { paidInterval, tierOf, tierWord } from "#/domain/subscription-words";
import { useFormat } from "#/shared/format/use-format";
import type { BillingInterval as Interval } from "#/shared/plans/plan-card";
import { toast } from "#/shared/toast/store";
import { AlertDialog } from "#/shared/ui/alert-dialog";
import { Notice } from "#/shared/ui/notice";
import { isTooSmall, limitWith, premiumChange, type Change } from "./plan-offer";
import { isUncharged } from "./paid-time";
import { Points } from "./points";
import { useChange } from "./use-change";
import { usePriceText } from "./use-price";
import { useDay } from "./use-subscription-state";

export interface WantedChange {
  plan: Plan;
  interval: Interval;
  change: Change;
}

/**
 * Describes a plan change to a paying company before it happens: what is charged, which features
 * change.
 */
export function ChangePlanDialog({
  subscription,
  plans,
  wanted: { plan, interval, change },
  open,
  onOpenChange,
}: {
  subscription: Subscription;
  plans: readonly Plan[];
  wanted: WantedChange;
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  const { t } = useTranslation();
  const format = useFormat();
  const name = usePlanText().name(plan.tier);
  const priceText = usePriceText();
  const total = useQuery(equipmentSummaryQuery(useTransport())).data?.total;
  const limit = limitWith(plan, subscription, plans);
  const { start, pending, focusAfter } = useChange(BillingService.method.changePlan, {
    failed: t("subscription.change.failed"),
    done: () =>
      toast.success(
        t("subscription.change.done"),
        t("subscription.change.doneText", { plan: name, price: priceText(plan, interval) }),
      ),
    close: () => onOpenChange(false),
  });
  const title = useTitle(change, name);
  const premium = premiumChange(tierWord(subscription.entitlements?.tier ?? 0), plan.tier);
  const today = useToday(subscription, change, interval, plan);
  return (
    <AlertDialog
      open={open}
      onOpenChange={onOpenChange}
      title={title}
      description={t("subscription.change.text")}
      confirmLabel={
        change === "upgrade" ? t("subscription.change.upgrade") : t("subscription.change.switch")
      }
      pendingLabel={t("subscription.change.pending")}
      pending={pending}
      focusAfter={focusAfter}
      tone="primary"
      onConfirm={() =>
        start({
          tier: tierOf(plan.tier),
          interval: interval === "year" ? BillingInterval.YEAR : BillingInterval.MONTH,
        })
      }
    >
      <Points
        items={[
          <strong key="price" className="font-semibold">
            {t("subscription.change.price", { price: priceText(plan, interval) })}
          </strong>,
          today,
          limit < 0 ? t("subscription.change.unlimited") : t("plans.upTo", { count: limit }),
          ...(premium === "opens" ? [t("subscription.change.opens")] : []),
          ...(premium === "closes" ? [t("subscription.change.closes")] : []),
        ]}
      />
      {isTooSmall(limit, total) && (
        <div className="mt-4">
          <Notice>
            {t("subscription.tooSmall", {
              total: format.number(total ?? 0),
              limit: format.number(limit),
            })}
          </Notice>
        </div>
      )}
    </AlertDialog>
  );
}

function useTitle(change: Change, plan: string): string {
  const { t } = useTranslation();
  switch (change) {
    case "upgrade":
      return t("subscription.change.upgradeTitle", { plan });
    case "downgrade":
      return t("subscription.change.downgradeTitle", { plan });
    case "yearly":
      return t("subscription.change.yearlyTitle");
    case "monthly":
      return t("subscription.change.monthlyTitle");
  }
}

/** What the card is charged on the day of the change; the provider prorates it. */
function useToday(subscription: Subscription, change: Change, next: Interval, plan: Plan): string {
  const { t } = useTranslation();
  const format = useFormat();
  const day = useDay();
  const now = paidInterval(subscription) ?? "month";
  if (isUncharged(subscription)) {
    return t("subscription.change.todayTrial", { date: day(subscription.currentPeriodEnd) });
  }
  if (next !== now) {
    return next === "year"
      ? t("subscription.change.todayYear", { price: format.money(plan.yearlyCents * 12) })
      : t("subscription.change.todayMonth");
  }
  return change === "upgrade"
    ? t("subscription.change.todayUp")
    : t("subscription.change.todayDown");
}
