import { timestampDate } from "@bufbuild/protobuf/wkt";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { BillingService, type Subscription } from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { useFormat } from "#/shared/format/use-format";
import { toast } from "#/shared/toast/store";
import { AlertDialog } from "#/shared/ui/alert-dialog";
import { Segmented } from "#/shared/ui/segmented";
import { monthsLater } from "./months-later";
import { endAfterPause } from "./paid-time";
import { Points } from "./points";
import { useChange } from "./use-change";
import { useDay } from "./use-subscription-state";

type Months = "3" | "6";

/** Three or six months without billing and without access. */
export function PauseDialog({
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
  const [months, setMonths] = useState<Months>("3");
  const [opened] = useState(() => new Date());
  const now = subscription.now ? timestampDate(subscription.now) : opened;
  const until = monthsLater(now, Number(months));
  const date = format.instantDay(until);
  const moved = endAfterPause(subscription, now, until);
  const { start, pending, focusAfter } = useChange(BillingService.method.pauseSubscription, {
    failed: t("subscription.pause.failed"),
    done: (paused) =>
      toast.success(
        t("subscription.pause.done"),
        t("subscription.pause.doneText", { date: paused?.pauseEnd ? day(paused.pauseEnd) : date }),
      ),
    close: () => onOpenChange(false),
  });
  return (
    <AlertDialog
      open={open}
      onOpenChange={onOpenChange}
      title={t("subscription.pause.title")}
      description={t("subscription.pause.text")}
      confirmLabel={t("subscription.pause.confirm", { count: Number(months) })}
      pendingLabel={t("subscription.pause.pending")}
      cancelLabel={t("subscription.pause.keep")}
      pending={pending}
      focusAfter={focusAfter}
      tone="primary"
      onConfirm={() => start({ months: Number(months) })}
    >
      <div className="mt-4">
        <Segmented
          label={t("subscription.pause.length")}
          value={months}
          // The choice can't change while the request is in progress.
          onChange={(next) => (pending ? undefined : setMonths(next))}
          options={[
            { value: "3", label: t("subscription.pause.months", { count: 3 }) },
            { value: "6", label: t("subscription.pause.months", { count: 6 }) },
          ]}
        />
      </div>
      <Points
        items={[
          t("subscription.pause.billing"),
          ...(moved
            ? [
                t("subscription.pause.moves", {
                  from: day(subscription.currentPeriodEnd),
                  to: format.instantDay(moved),
                }),
              ]
            : []),
          t("subscription.pause.access"),
          t("subscription.pause.operators"),
          <strong key="end" className="font-semibold">
            {t("subscription.pause.ends", { date })}
          </strong>,
        ]}
      />
    </AlertDialog>
  );
}
