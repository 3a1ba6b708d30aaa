import { create } from "@bufbuild/protobuf";
import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import {
  BillingService,
  SubscriptionAction,
  SubscriptionSchema,
  SubscriptionStatus,
  Tier,
  type Subscription,
} from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { changeLanguage } from "#/i18n";
import { operator, owner, renderApp, stubRest } from "#/test/render-app";
import {
  aCanceled,
  aGrace,
  anActive,
  anExpired,
  aPaused,
  aPlan,
  aTrial,
  on,
} from "#/test/subscription";

let companies = 0;

async function open(
  subscription: Subscription | null,
  { path = "/contact", user = owner }: { path?: string; user?: object } = {},
) {
  companies += 1;
  stubRest({
    "GET /api/auth/user": { status: 200, body: { ...user, companyId: `c${companies}` } },
  });
  const state = { subscription, requests: 0 };
  const transport = createRouterTransport(({ service }) => {
    service(BillingService, {
      getSubscription: () => {
        state.requests += 1;
        if (!state.subscription) throw new ConnectError("Not now.", Code.Unavailable);
        return { subscription: state.subscription };
      },
    });
  });
  const { router, queryClient } = await renderApp(path, transport);
  await screen.findByRole("heading", { level: 1 });
  return { state, router, queryClient };
}

const off = "You can read and export everything, but not add or change anything.";
const text = (part: string | RegExp) => screen.findByText(part, { exact: false });

const overTrial = aTrial({
  entitlements: { tier: Tier.BASIC, status: SubscriptionStatus.EXPIRED },
  trialEnd: on(2026, 11, 1),
  trialDaysLeft: 0,
});
const canceledTrial = create(SubscriptionSchema, {
  entitlements: { tier: Tier.BASIC, status: SubscriptionStatus.CANCELED },
  actions: [SubscriptionAction.CHECKOUT],
});

describe("without access", () => {
  it.each<[string, Subscription, string, string]>([
    ["expired", anExpired(), "Your subscription has ended.", "Choose a plan"],
    ["trial over", overTrial, "Your free trial has ended.", "Choose a plan"],
    ["canceled trial", canceledTrial, "Your subscription is canceled.", "Choose a plan"],
    ["paused", aPaused(), "Your subscription is paused until Feb 21, 2027.", "Resume now"],
  ])(
    "%s: every page shows what is off, what stays, and a link",
    async (_, subscription, title, link) => {
      const { router } = await open(subscription);
      expect(await screen.findByText(title)).toBeTruthy();
      expect(await text(off)).toBeTruthy();
      // It can't be closed while it applies.
      expect(screen.queryByRole("button", { name: /^Close this notice/ })).toBeNull();
      fireEvent.click(screen.getByRole("link", { name: link }));
      await waitFor(() => expect(router.state.location.pathname).toBe("/subscription"));
      await screen.findByRole("heading", { level: 1, name: "Subscription" });
      expect(screen.getByText(title)).toBeTruthy();
      expect(screen.queryByRole("link", { name: link })).toBeNull();
    },
  );

  it("disappears when the subscription is active again", async () => {
    const { state, queryClient } = await open(aPaused());
    await text(off);
    state.subscription = anActive();
    await queryClient.invalidateQueries();
    await waitFor(() => expect(screen.queryByText(off, { exact: false })).toBeNull());
  });

  it("reads in Spanish", async () => {
    await open(anExpired());
    await text(off);
    await changeLanguage("es");
    expect(await screen.findByText("Tu suscripción terminó.")).toBeTruthy();
  });
});

describe("before access ends", () => {
  it("a failed payment is shown until it is closed, and again the next day", async () => {
    const { state, queryClient } = await open(aGrace());
    expect(await screen.findByText("The last payment failed.")).toBeTruthy();
    expect(await text("Everything stays open until Nov 28, 2026.")).toBeTruthy();
    fireEvent.click(screen.getByRole("button", { name: "Close this notice until tomorrow" }));
    expect(screen.queryByText("The last payment failed.")).toBeNull();
    state.subscription = aPlan(SubscriptionStatus.ACTIVE, {
      graceEnd: on(2026, 11, 28),
      now: on(2026, 11, 22),
    });
    await queryClient.invalidateQueries();
    expect(await screen.findByText("The last payment failed.")).toBeTruthy();
    expect(JSON.stringify(localStorage) + JSON.stringify(sessionStorage)).not.toContain("failed");
  });

  it.each([
    [1, "1 day of your free trial left."],
    [7, "7 days of your free trial left."],
  ])("%i days before a trial ends", async (trialDaysLeft, title) => {
    await open(aTrial({ trialDaysLeft }));
    expect(await screen.findByText(title)).toBeTruthy();
    expect(screen.getByRole("link", { name: "Choose a plan" })).toBeTruthy();
  });

  it.each<[string, Subscription]>([
    ["8 days of trial", aTrial({ trialDaysLeft: 8 })],
    ["active", anActive()],
    ["canceled with days left", aCanceled()],
  ])("shows no banner: %s", async (_, subscription) => {
    const { state } = await open(subscription);
    await waitFor(() => expect(state.requests).toBeGreaterThan(0));
    expect(screen.queryByText(/free trial left|Close this notice|has ended/)).toBeNull();
  });

  it("shows no banner on the subscription page, whose card says the same", async () => {
    await open(aGrace(), { path: "/subscription" });
    expect(await screen.findByText("Payment failed")).toBeTruthy();
    expect(screen.queryByText("The last payment failed.")).toBeNull();
  });
});

it("shows no banner while the subscription can't be loaded", async () => {
  const { state } = await open(null);
  await waitFor(() => expect(state.requests).toBeGreaterThan(0));
  expect(screen.queryByText(off, { exact: false })).toBeNull();
});

it("shows operators nothing about billing", async () => {
  const { state } = await open(anExpired(), { path: "/profile", user: operator });
  expect(state.requests).toBe(0);
  expect(screen.queryByText(off, { exact: false })).toBeNull();
});
