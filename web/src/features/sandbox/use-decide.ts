import { useMutation, useTransport } from "@connectrpc/connect-query";
import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { BillingService, SandboxDecision } from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { ownPath } from "./own-path";
import { checkoutQuery } from "./queries";

/** What the person decides, at most once at a time; a checkout that is over leads back. */
export function useDecide(sessionId: string) {
  const transport = useTransport();
  const client = useQueryClient();
  const router = useRouter();
  const { queryKey } = checkoutQuery(transport, sessionId);
  const deciding = useMutation(BillingService.method.decideSandboxCheckout, {
    onSuccess: async ({ url }, { decision }) => {
      if (decision === SandboxDecision.DECLINE) {
        await client.invalidateQueries({ queryKey });
        return;
      }
      // Back must not lead to a checkout that is over.
      await router.navigate({ href: ownPath(url) ?? "/subscription", replace: true });
    },
    // It may have been paid or left in another window.
    onError: () => client.invalidateQueries({ queryKey }),
  });
  const { isPending, isSuccess, variables, error, mutate } = deciding;
  return {
    decide: (decision: SandboxDecision) => {
      if (!isPending) mutate({ sessionId, decision });
    },
    /** What is being done now; null while nothing is. */
    running: isPending ? (variables.decision ?? null) : null,
    error,
    leaving: (isPending || isSuccess) && variables.decision !== SandboxDecision.DECLINE,
  };
}

export type Decide = ReturnType<typeof useDecide>;
