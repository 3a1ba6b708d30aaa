import type { DescMessage, DescMethodUnary, Message, MessageInitShape } from "@bufbuild/protobuf";
import type { GenMessage } from "@bufbuild/protobuf/codegenv2";
import { useTransport } from "@connectrpc/connect-query";
import { useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { toFailure } from "#/api/errors";
import type { Subscription } from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { keepSubscription, refreshSubscription } from "#/api/subscription";
import { key, type TextKey } from "#/i18n/key";
import { useWrite } from "#/shared/form/use-write";
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
export function useChange<Input extends DescMessage>(
  method: DescMethodUnary<Input, GenMessage<Message & { subscription?: Subscription | undefined }>>,
  {
    failed,
    done,
    close,
  }: {
    /** Title of the toast on failure. */
    failed: string;
    /** Shows the success toast. */
    done: (subscription: Subscription | undefined) => void;
    close: () => void;
  },
) {
  const transport = useTransport();
  const client = useQueryClient();
  const refusal = useRefusal();
  const running = useRef(false);
  // The change removes the button that opened the dialog.
  const changed = useRef(false);
  const mutation = useWrite(method, {
    onSuccess: ({ subscription }) => {
      changed.current = true;
      keepSubscription(client, transport, subscription);
      close();
      done(subscription);
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
    start: (input: MessageInitShape<Input>) => {
      if (running.current) return;
      running.current = true;
      changed.current = false;
      mutation.mutate(input);
    },
  };
}
