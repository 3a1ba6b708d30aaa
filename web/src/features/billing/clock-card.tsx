import { timestampDate } from "@bufbuild/protobuf/wkt";
import { useQueryClient } from "@tanstack/react-query";
import { FlaskConical } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import type { Subscription } from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { SandboxService } from "#/api/gen/hourmeter/billing/v1/sandbox_pb";
import { useSession } from "#/session/session";
import { mayMoveClock } from "#/domain/permissions";
import { useWrite } from "#/shared/form/use-write";
import { useFormat } from "#/shared/format/use-format";
import { toast } from "#/shared/toast/store";
import { AlertDialog } from "#/shared/ui/alert-dialog";
import { Badge } from "#/shared/ui/badge";
import { Button } from "#/shared/ui/button";
import { nextEvent, type BillingEvent } from "./next-event";

/** The maximum total offset of the clock. */
const maxDaysAhead = 3660;
const steps = [1, 7, 30] as const;

interface Move {
  days: number;
  label: string;
}

/** Marks simulated payments, and lets the owner move the billing clock. */
export function SandboxClockCard({ subscription }: { subscription: Subscription }) {
  const { t } = useTranslation();
  const owner = mayMoveClock(useSession());
  return (
    <section
      aria-labelledby="test-payments"
      className="no-print rounded-card border border-dashed border-control-line p-4 md:p-5"
    >
      <div className="flex gap-3">
        <FlaskConical aria-hidden className="mt-0.5 size-5 shrink-0 text-muted" />
        <div className="min-w-0 flex-1">
          <h2 id="test-payments" className="font-semibold">
            {t("sandbox.clock.title")}
          </h2>
          <p className="mt-1 max-w-prose text-sm text-muted">{t("sandbox.clock.text")}</p>
          <ClockTime subscription={subscription} />
          {owner ? (
            <ClockButtons subscription={subscription} />
          ) : (
            <p className="mt-3 text-sm text-muted">{t("sandbox.clock.ownerOnly")}</p>
          )}
        </div>
      </div>
    </section>
  );
}

function ClockTime({ subscription: { now, clockDaysAhead } }: { subscription: Subscription }) {
  const { t } = useTranslation();
  const format = useFormat();
  if (!now) return null;
  return (
    <p className="mt-3 flex flex-wrap items-center gap-x-3 gap-y-1">
      <span>
        {t("sandbox.clock.date")}{" "}
        <b className="font-semibold whitespace-nowrap">{format.instantDay(timestampDate(now))}</b>
      </span>
      <Badge>
        {clockDaysAhead === 0
          ? t("sandbox.clock.onTime")
          : t("sandbox.clock.ahead", {
              count: clockDaysAhead,
              days: format.number(clockDaysAhead),
            })}
      </Badge>
    </p>
  );
}

function ClockButtons({ subscription }: { subscription: Subscription }) {
  const { t } = useTranslation();
  const format = useFormat();
  const eventText = useEventText();
  const { ask, move, dialog } = useMoveClock(subscription);
  const next = nextEvent(subscription);
  const moves: Move[] = steps.map((days) => ({
    days,
    label: t("sandbox.clock.days", { count: days }),
  }));
  if (next) {
    const { event, at, days } = next;
    const label = t("sandbox.clock.toEvent", {
      event: eventText(event),
      date: format.instantDay(at),
    });
    moves.push({ days, label });
  }
  return (
    <div className="mt-3 flex flex-wrap gap-2" role="group" aria-label={t("sandbox.clock.move")}>
      {moves.map((one) => (
        <Button
          key={one.label}
          size="small"
          pending={move.isPending && move.variables.advanceDays === one.days}
          disabledReason={
            subscription.clockDaysAhead + one.days > maxDaysAhead
              ? t("sandbox.clock.farEnough")
              : undefined
          }
          onClick={() => ask(one.days)}
        >
          {one.label}
        </Button>
      ))}
      {dialog}
    </div>
  );
}

function useEventText(): (event: BillingEvent) => string {
  const { t } = useTranslation();
  return (event) => {
    switch (event) {
      case "trialEnd":
        return t("sandbox.clock.events.trialEnd");
      case "renewal":
        return t("sandbox.clock.events.renewal");
      case "periodEnd":
        return t("sandbox.clock.events.periodEnd");
      case "pauseEnd":
        return t("sandbox.clock.events.pauseEnd");
      case "graceEnd":
        return t("sandbox.clock.events.graceEnd");
    }
  };
}

/** The first move asks for confirmation, because the clock can't go back. */
function useMoveClock({ clockDaysAhead }: Subscription) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const client = useQueryClient();
  const [pendingDays, setPendingDays] = useState<number | null>(null);
  const move = useWrite(SandboxService.method.moveSandboxClock, {
    onSuccess: async (_, { advanceDays: count = 0 }) => {
      toast.success(t("sandbox.clock.moved"), t("sandbox.clock.movedText", { count }));
      // Access may have changed, which all pages show.
      await client.invalidateQueries();
    },
    onError: (error) =>
      toast.failure(t("sandbox.clock.failed"), errorText(error, "sandbox.clock.failedText")),
    onSettled: () => setPendingDays(null),
  });
  const ask = (days: number) => {
    if (move.isPending) return;
    if (clockDaysAhead === 0) setPendingDays(days);
    else move.mutate({ advanceDays: days });
  };
  const dialog = (
    <AlertDialog
      open={pendingDays !== null}
      onOpenChange={() => setPendingDays(null)}
      title={t("sandbox.clock.confirmTitle")}
      description={t("sandbox.clock.confirmText")}
      confirmLabel={t("sandbox.clock.confirm")}
      pendingLabel={t("sandbox.clock.pending")}
      pending={move.isPending}
      tone="primary"
      onConfirm={() => pendingDays !== null && move.mutate({ advanceDays: pendingDays })}
    />
  );
  return { ask, move, dialog };
}
