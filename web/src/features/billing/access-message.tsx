import { Link, useLocation } from "@tanstack/react-router";
import { Clock, Lock, TriangleAlert, X, type LucideIcon } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { SubscriptionAction, type Subscription } from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { useSession } from "#/session/session";
import { allows, statusWord } from "#/domain/subscription-words";
import { Button } from "#/shared/ui/button";
import type { AccessMessageKind } from "./access-message-kind";
import { useDay, wasPaid } from "./use-subscription-state";

interface Props {
  kind: AccessMessageKind;
  subscription: Subscription;
}

// In memory only: a closed notice appears again the next day or after a reload.
const closed = new Set<string>();

const icons: Record<AccessMessageKind, LucideIcon> = {
  off: Lock,
  failed: TriangleAlert,
  trial: Clock,
};

/** All messages except the end of access can be closed, and are hidden on the subscription page. */
export function AccessMessage({ kind, subscription }: Props) {
  const { t } = useTranslation();
  const day = useDay();
  const company = useSession()?.companyId;
  const { title, text, link } = useWords({ kind, subscription });
  const here = useLocation().pathname === "/subscription";
  const [, redraw] = useState(0);
  const name = `${company} ${kind} ${day(subscription.now)}`;
  const off = kind === "off";
  if (!off && (here || closed.has(name))) return null;
  const Icon = icons[kind];
  const close = () => {
    closed.add(name);
    redraw((count) => count + 1);
    document.querySelector<HTMLElement>("h1")?.focus({ preventScroll: true });
  };
  return (
    <div className={`border-b border-line ${off ? "bg-sunken" : "bg-accent-soft"}`}>
      <div className="mx-auto flex max-w-(--container-page) items-start gap-3 px-4 py-3 lg:px-6">
        <Icon
          aria-hidden
          className={`mt-0.5 size-5 shrink-0 ${kind === "trial" ? "text-accent" : "text-danger"}`}
        />
        <p className="min-w-0 flex-1">
          <strong className="font-semibold">{title}</strong> {text}{" "}
          {!here && (
            <Link
              to="/subscription"
              className="inline-block font-semibold whitespace-nowrap text-accent underline underline-offset-3 hover:text-accent-hover"
            >
              {link}
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
  );
}

/** `link` is the label of the link to the subscription page. */
function useWords({ kind, subscription }: Props): { title: string; text: string; link: string } {
  const { t } = useTranslation();
  const day = useDay();
  switch (kind) {
    case "off":
      return {
        title: offTitle(),
        text: t("subscription.banner.off"),
        link: allows(subscription, SubscriptionAction.REACTIVATE)
          ? t("subscription.reactivate.action")
          : t("subscription.choose"),
      };
    case "failed":
      return {
        title: t("subscription.banner.failed"),
        text: t("subscription.banner.failedText", { date: day(subscription.graceEnd) }),
        link: t("subscription.portal.mend"),
      };
    case "trial":
      return {
        title: t("subscription.banner.trial", { count: subscription.trialDaysLeft }),
        text: t("subscription.banner.trialText", { date: day(subscription.trialEnd) }),
        link: t("subscription.choose"),
      };
  }

  function offTitle(): string {
    const { entitlements, pauseEnd } = subscription;
    switch (statusWord(entitlements?.status ?? 0)) {
      case "paused":
        return pauseEnd
          ? t("subscription.banner.pausedUntil", { date: day(pauseEnd) })
          : t("subscription.banner.paused");
      case "canceled":
        return t("subscription.banner.canceled");
      case "trial":
      case "active":
      case "expired":
        return wasPaid(subscription)
          ? t("subscription.banner.expired")
          : t("subscription.banner.trialOver");
    }
  }
}
