import type { Transport } from "@connectrpc/connect";
import { useTransport } from "@connectrpc/connect-query";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { toFailure } from "#/api/errors";
import type { Subscription } from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { keepSubscription, refreshSubscription } from "#/api/subscription";
import { key, type TextKey } from "#/i18n/key";
import { toast } from "#/shared/toast/store";

/** Refusals that mean the displayed state is outdated. */
const movedOn = new Set(["SUBSCRIPTION_STATE", "ALREADY_SUBSCRIBED", "CHECKOUT_REQUIRED"]);

/** The error text of a failed call; refetches an outdated subscription. */
export function useRefusal(): (
  error: unknown,
  fallback?: TextKey,
) => { text: string; over: boolean } {
  const { t } = useTranslation();
  const client = useQueryClient();
  const errorText = useErrorText();
  return (error, fallback = key("errors.server")) => {
    if (!movedOn.has(toFailure(error).code ?? "")) {
      return { text: errorText(error, fallback), over: false };
    }
    void refreshSubscription(client);
    return { text: t("subscription.changedMeanwhile"), over: true };
  };
}

/**
 * A change of the subscription from a dialog: runs once at a time, reports the outcome, and closes
 * the dialog when it is done or no longer applies.
 */
export function useChange<Input>({
  run,
  failed,
  done,
  close,
}: {
  run: (transport: Transport, input: Input) => Promise<{ subscription?: Subscription | undefined }>;
  /** Title of the toast on failure. */
  failed: string;
  /** Shows the success toast. */
  done: (subscription: Subscription | undefined, input: Input) => void;
  close: () => void;
}) {
  const transport = useTransport();
  const client = useQueryClient();
  const refusal = useRefusal();
  const running = useRef(false);
  // The change removes the button that opened the dialog.
  const changed = useRef(false);
  const mutation = useMutation({
    mutationFn: (input: Input) => run(transport, input),
    onSuccess: ({ subscription }, input) => {
      changed.current = true;
      keepSubscription(client, transport, subscription);
      close();
      done(subscription, input);
    },
    onError: (error) => {
      const { text, over } = refusal(error);
      if (over) {
        changed.current = true;
        close();
      }
      toast.failure(failed, text);
    },
    onSettled: () => {
      running.current = false;
    },
  });
  return {
    pending: mutation.isPending,
    /** Focuses the page's title after a change. */
    focusAfter: () => (changed.current ? document.querySelector<HTMLElement>("h1") : null),
    start: (input: Input) => {
      if (running.current) return;
      running.current = true;
      changed.current = false;
      mutation.mutate(input);
    },
  };
}
