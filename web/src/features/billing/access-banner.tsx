import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "@tanstack/react-router";
import { Clock, Lock, TriangleAlert, X, type LucideIcon } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { SubscriptionAction, type Subscription } from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { useSession } from "#/session/session";
import { subscriptionQuery } from "#/api/subscription";
import { allows, statusWord } from "#/domain/subscription-words";
import { Button } from "#/shared/ui/button";
import { useDay, wasPaid } from "./use-standing";

interface Message {
  kind: "off" | "failed" | "trial";
  icon: LucideIcon;
  title: string;
  text: string;
  /** What the link to the subscription page is called. */
  link: string;
}

/** The last days of a trial on which it is told on every page. */
const lastDays = 7;

// In memory only: whoever closed a notice has it back the next day, or after a reload.
const closed = new Set<string>();

/**
 * What the subscription means for every page: that nothing can be changed now and what stays, or
 * that this is near. It stays silent while the subscription can't be read.
 */
export function AccessBanner() {
  const { t } = useTranslation();
  const { data } = useQuery(subscriptionQuery(useTransport()));
  const day = useDay();
  const company = useSession()?.companyId;
  const message = useAccessMessage(data?.subscription);
  const here = useLocation().pathname === "/subscription";
  const [, redraw] = useState(0);
  const name = `${company} ${message?.kind} ${day(data?.subscription?.now)}`;
  const off = message?.kind === "off";
  // The page itself tells the rest.
  const shown = message && (off || (!here && !closed.has(name))) ? message : null;
  const close = () => {
    closed.add(name);
    redraw((count) => count + 1);
    document.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true });
  };
  return (
    <div role="status" className="no-print">
      {shown && (
        <div className={`border-b border-line ${off ? "bg-sunken" : "bg-accent-soft"}`}>
          <div className="mx-auto flex max-w-(--container-page) items-start gap-3 px-4 py-3 lg:px-6">
            <shown.icon
              aria-hidden
              className={`mt-0.5 size-5 shrink-0 ${shown.kind === "trial" ? "text-accent" : "text-danger"}`}
            />
            <p className="min-w-0 flex-1">
              <strong className="font-semibold">{shown.title}</strong> {shown.text}{" "}
              {!here && (
                <Link
                  to="/subscription"
                  className="inline-block font-semibold whitespace-nowrap text-accent underline underline-offset-3 hover:text-accent-hover"
                >
                  {shown.link}
                </Link>
              )}
            </p>
            {!off && (
              <Button
                variant="quiet"
                size="small"
                icon
                className="-my-2 -mr-2 md:-my-1"
                aria-label={t("subscription.banner.close")}
                onClick={close}
              >
                <X aria-hidden className="size-4" />
              </Button>
            )}
          </div>
        </div>
      )}
    </div>
  );
}

function useAccessMessage(subscription: Subscription | undefined): Message | null {
  const { t } = useTranslation();
  const day = useDay();
  if (!subscription?.entitlements) return null;
  const { entitlements, graceEnd, trialDaysLeft, trialEnd, pauseEnd } = subscription;
  const status = statusWord(entitlements.status);
  if (!entitlements.active) {
    return {
      kind: "off",
      icon: Lock,
      title: offTitle(),
      text: t("subscription.banner.off"),
      link: allows(subscription, SubscriptionAction.REACTIVATE)
        ? t("subscription.reactivate.action")
        : t("subscription.choose"),
    };
  }
  if (graceEnd) {
    return {
      kind: "failed",
      icon: TriangleAlert,
      title: t("subscription.banner.failed"),
      text: t("subscription.banner.failedText", { date: day(graceEnd) }),
      link: t("subscription.portal.mend"),
    };
  }
  if (status === "trial" && trialDaysLeft <= lastDays) {
    return {
      kind: "trial",
      icon: Clock,
      title: t("subscription.banner.trial", { count: trialDaysLeft }),
      text: t("subscription.banner.trialText", { date: day(trialEnd) }),
      link: t("subscription.choose"),
    };
  }
  return null;

  function offTitle(): string {
    switch (status) {
      case "paused":
        return pauseEnd
          ? t("subscription.banner.pausedUntil", { date: day(pauseEnd) })
          : t("subscription.banner.paused");
      case "canceled":
        return t("subscription.banner.canceled");
      case "trial":
      case "active":
      case "expired":
        return subscription && wasPaid(subscription)
          ? t("subscription.banner.expired")
          : t("subscription.banner.trialOver");
    }
  }
}
