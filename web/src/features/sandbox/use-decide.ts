import { createClient } from "@connectrpc/connect";
import { useTransport } from "@connectrpc/connect-query";
import { useMutation, useQueryClient } from "@tanstack/react-query";
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
  const decision = useMutation({
    mutationFn: (decision: SandboxDecision) =>
      createClient(BillingService, transport).decideSandboxCheckout({ sessionId, decision }),
    onSuccess: async ({ url }, decided) => {
      if (decided === SandboxDecision.DECLINE) {
        await client.invalidateQueries({ queryKey });
        return;
      }
      // Back must not lead to a checkout that is over.
      await router.navigate({ href: ownPath(url) ?? "/subscription", replace: true });
    },
    // It may have been paid or left in another window.
    onError: () => client.invalidateQueries({ queryKey }),
  });
  const { variables } = decision;
  return {
    decide: (next: SandboxDecision) => {
      if (!decision.isPending) decision.mutate(next);
    },
    /** What is being done now; null while nothing is. */
    running: decision.isPending ? variables : null,
    error: decision.error,
    leaving: (decision.isPending || decision.isSuccess) && variables !== SandboxDecision.DECLINE,
  };
}

export type Decide = ReturnType<typeof useDecide>;
