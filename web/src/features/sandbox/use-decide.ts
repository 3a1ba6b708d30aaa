import { useTransport } from "@connectrpc/connect-query";
import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { SandboxDecision } from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { SandboxService } from "#/api/gen/hourmeter/billing/v1/sandbox_pb";
import { useWrite } from "#/shared/form/use-write";
import { ownPath } from "./own-path";
import { checkoutQuery } from "./queries";

/** Sends one decision at a time; a closed checkout goes back. */
export function useDecide(sessionId: string) {
  const transport = useTransport();
  const client = useQueryClient();
  const router = useRouter();
  const { queryKey } = checkoutQuery(transport, sessionId);
  const deciding = useWrite(SandboxService.method.decideSandboxCheckout, {
    onSuccess: async ({ url }, { decision }) => {
      if (decision === SandboxDecision.DECLINE) {
        await client.invalidateQueries({ queryKey });
        return;
      }
      // Back must not return to a closed checkout.
      await router.navigate({ href: ownPath(url) ?? "/subscription", replace: true });
    },
    // It may have been paid or canceled in another window.
    onError: () => client.invalidateQueries({ queryKey }),
  });
  const { isPending, isSuccess, variables, error, mutate } = deciding;
  return {
    decide: (decision: SandboxDecision) => {
      if (!isPending) mutate({ sessionId, decision });
    },
    /** The pending decision; null if there is none. */
    running: isPending ? (variables.decision ?? null) : null,
    error,
    leaving: (isPending || isSuccess) && variables.decision !== SandboxDecision.DECLINE,
  };
}

export type Decide = ReturnType<typeof useDecide>;
