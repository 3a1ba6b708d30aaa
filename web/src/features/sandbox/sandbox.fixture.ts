import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import {
  BillingInterval,
  BillingService,
  GetSandboxCheckoutResponseSchema,
  GetSandboxPortalResponseSchema,
  SandboxDecision,
  Tier,
} from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { SandboxService } from "#/api/gen/hourmeter/billing/v1/sandbox_pb";
import { catalogue } from "#/test/plans";
import { owner, renderApp, stubRest } from "#/test/render-app";

/** A stub of the sandbox: one checkout and a portal. */
export function sandbox() {
  return {
    checkout: create(GetSandboxCheckoutResponseSchema, {
      tier: Tier.PROFESSIONAL,
      interval: BillingInterval.MONTH,
      dueCents: 5400,
      open: true,
    }),
    portal: create(GetSandboxPortalResponseSchema),
    url: "/subscription?success=true",
    fail: null as ConnectError | null,
    /** The reason of a closed checkout. */
    closed: null as ConnectError | null,
    /** Delays responses. */
    gate: Promise.resolve(),
    decisions: [] as SandboxDecision[],
    cards: [] as boolean[],
  };
}
export type Sandbox = ReturnType<typeof sandbox>;

export async function openSandbox(path: string, state: Sandbox, user: object | null = owner) {
  const session = { user };
  const calls = stubRest({
    "GET /api/auth/user": () =>
      session.user
        ? { status: 200, body: session.user }
        : { status: 401, body: { message: "Not signed in" } },
    "POST /api/auth/login": () => {
      session.user = owner;
      return { status: 200, body: owner };
    },
    "GET /api/plans": { status: 200, body: catalogue },
  });
  const refuse = () => {
    if (state.fail) throw state.fail;
  };
  const transport = createRouterTransport(({ service }) => {
    service(SandboxService, {
      getSandboxCheckout: ({ sessionId }) => {
        refuse();
        if (sessionId !== "s1") throw new ConnectError("Not found.", Code.NotFound);
        return state.checkout;
      },
      decideSandboxCheckout: async ({ decision }) => {
        state.decisions.push(decision);
        await state.gate;
        refuse();
        if (state.closed) throw state.closed;
        if (decision === SandboxDecision.DECLINE) state.checkout.declined = true;
        else state.checkout.open = false;
        return { url: state.url };
      },
      getSandboxPortal: () => {
        refuse();
        return state.portal;
      },
      setSandboxCard: async ({ declines }) => {
        state.cards.push(declines);
        await state.gate;
        refuse();
        state.portal.cardDeclines = declines;
        return { portal: state.portal };
      },
    });
    service(BillingService, { getSubscription: () => ({ subscription: {} }) });
  });
  return { calls, ...(await renderApp(path, transport)) };
}
