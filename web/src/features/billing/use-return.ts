import { useTransport } from "@connectrpc/connect-query";
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { companySettingsQuery } from "#/api/company-settings";
import { SubscriptionAction, type Subscription } from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { refreshSubscription } from "#/api/subscription";
import { allows } from "#/domain/subscription-words";
import { toast } from "#/shared/toast/store";

/** The URL parameter after a checkout; it grants nothing. */
export type Returned = "success" | "canceled" | null;

/** `late`: the provider has not confirmed within the usual time. */
export type Confirmation = "none" | "waiting" | "late";

const pollIntervalMs = 1_500;
const confirmationTimeoutMs = 15_000;

/** The provider has confirmed the payment: the plan can be changed and need not be bought. */
function isConfirmed(subscription: Subscription | undefined): boolean {
  return (
    subscription?.entitlements?.active === true &&
    !allows(subscription, SubscriptionAction.CHECKOUT)
  );
}

/**
 * Reports the outcome of a checkout, removes the parameter from the URL, and polls until the
 * provider has confirmed the payment.
 */
export function useReturn(
  returned: Returned,
  subscription: Subscription | undefined,
): { confirmation: Confirmation; again: () => void } {
  const { t } = useTranslation();
  const client = useQueryClient();
  const transport = useTransport();
  const navigate = useNavigate();
  const [seen, setSeen] = useState<Returned>(null);
  const [confirmation, setConfirmation] = useState<Confirmation>("none");
  if (seen !== returned) {
    setSeen(returned);
    if (returned) setConfirmation(returned === "success" ? "waiting" : "none");
  }
  const confirmed = isConfirmed(subscription);
  if (confirmed && confirmation !== "none" && seen === returned) setConfirmation("none");

  useEffect(() => {
    if (!returned) return;
    if (returned === "success") {
      toast.success(t("subscription.return.success"), t("subscription.return.successText"));
    } else {
      toast.failure(t("subscription.return.canceled"), t("subscription.return.canceledText"));
    }
    void navigate({ to: "/subscription", search: {}, replace: true });
  }, [returned, navigate, t]);

  const waiting = confirmation === "waiting";
  useEffect(() => {
    if (!waiting) return undefined;
    const refresh = () => void refreshSubscription(client);
    const poll = setInterval(refresh, pollIntervalMs);
    const timeout = setTimeout(() => setConfirmation("late"), confirmationTimeoutMs);
    return () => {
      clearInterval(poll);
      clearTimeout(timeout);
      refresh();
      void client.invalidateQueries({ queryKey: companySettingsQuery(transport).queryKey });
    };
  }, [waiting, client, transport]);

  return {
    confirmation,
    again: () => setConfirmation("waiting"),
  };
}
