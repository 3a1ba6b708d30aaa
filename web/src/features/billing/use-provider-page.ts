import { useRouter } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import {
  BillingInterval,
  BillingService,
  PaymentProvider,
} from "#/api/gen/hourmeter/billing/v1/billing_pb";
import type { Tier } from "#/domain/plan";
import { tierOf, tierWord } from "#/domain/subscription-words";
import { useWrite } from "#/shared/form/use-write";
import type { BillingInterval as Interval } from "#/shared/plans/plan-card";
import { toast } from "#/shared/toast/store";
import { leavePage } from "./leave-page";
import { providerPlace } from "./provider-place";
import { loadStripe, StripeNotLoaded } from "./stripe-script";
import { useRefusal } from "./use-change";

/** The URL of the response is not one of our payment providers. */
class WrongPlace extends Error {}

/** Navigates to the provider's URL. Busy while the browser leaves, not after Back. */
function useLeave() {
  const router = useRouter();
  const [leaving, setLeaving] = useState(false);
  useEffect(() => {
    const back = (event: PageTransitionEvent) => event.persisted && setLeaving(false);
    window.addEventListener("pageshow", back);
    return () => window.removeEventListener("pageshow", back);
  }, []);
  const leave = (answer: string, page: "checkout" | "portal") => {
    const place = providerPlace(answer, page);
    if (!place) throw new WrongPlace();
    if ("path" in place) return router.history.push(place.path);
    setLeaving(true);
    leavePage(place.href);
  };
  return { leaving, leave };
}

/** Opens the provider's checkout for a plan, one at a time. */
export function useCheckout(provider: PaymentProvider | undefined) {
  const { t } = useTranslation();
  const refusal = useRefusal();
  const { leaving, leave } = useLeave();
  const running = useRef(false);
  const mutation = useWrite(BillingService.method.createCheckoutSession, {
    onMutate: () => (provider === PaymentProvider.STRIPE ? loadStripe() : undefined),
    onSuccess: ({ url }) => leave(url, "checkout"),
    onError: (error) => {
      const text =
        error instanceof StripeNotLoaded
          ? t("subscription.checkout.notLoaded")
          : error instanceof WrongPlace
            ? t("subscription.checkout.failed")
            : refusal(error, "subscription.checkout.failed").text;
      toast.failure(t("subscription.checkout.error"), text);
    },
    onSettled: () => {
      running.current = false;
    },
  });
  return {
    /** The plan with a pending button. */
    buying:
      (mutation.isPending || leaving) && mutation.variables?.tier
        ? tierWord(mutation.variables.tier)
        : null,
    buy: (tier: Tier, interval: Interval) => {
      if (running.current || leaving) return;
      running.current = true;
      mutation.mutate({
        tier: tierOf(tier),
        interval: interval === "year" ? BillingInterval.YEAR : BillingInterval.MONTH,
      });
    },
  };
}

export function usePortal() {
  const { t } = useTranslation();
  const refusal = useRefusal();
  const { leaving, leave } = useLeave();
  const running = useRef(false);
  const mutation = useWrite(BillingService.method.createPortalSession, {
    onSuccess: ({ url }) => leave(url, "portal"),
    onError: (error) => {
      const text =
        error instanceof WrongPlace
          ? t("subscription.portal.failed")
          : refusal(error, "subscription.portal.failed").text;
      toast.failure(t("subscription.checkout.error"), text);
    },
    onSettled: () => {
      running.current = false;
    },
  });
  return {
    opening: mutation.isPending || leaving,
    open: () => {
      if (running.current || leaving) return;
      running.current = true;
      mutation.mutate({});
    },
  };
}
