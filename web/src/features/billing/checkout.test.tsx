import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import {
  BillingInterval,
  BillingService,
  PaymentProvider,
  SubscriptionAction,
  SubscriptionStatus,
  Tier,
} from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { EquipmentService } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { currentToast } from "#/shared/toast/store";
import { catalogue } from "#/test/plans";
import { owner, renderApp, stubRest, visitor } from "#/test/render-app";
import { aGrace, anActive, aPlan, aTrial, on } from "#/test/subscription";
import { refusal } from "#/test/refusal";
import type * as stripeScript from "./stripe-script";
import { expectToast, failing, open, press } from "./subscription-page.fixture";

const { leavePage, loadStripe } = vi.hoisted(() => ({
  leavePage: vi.fn<(address: string) => void>(),
  loadStripe: vi.fn<() => Promise<void>>(),
}));
vi.mock("./leave-page", () => ({ leavePage }));
vi.mock("./stripe-script", async (original) => ({
  ...(await original<typeof stripeScript>()),
  loadStripe,
}));

beforeEach(() => {
  leavePage.mockReset();
  loadStripe.mockReset();
  loadStripe.mockResolvedValue();
});

describe("checkout", () => {
  const answers = (url: string, seen: unknown[] = []) => ({
    billing: () => ({
      createCheckoutSession: (request: { tier: Tier; interval: BillingInterval }) => {
        seen.push([request.tier, request.interval]);
        return { url };
      },
    }),
  });

  it("in a trial shows the date of the first charge", async () => {
    await open(aTrial({ firstChargeAt: on(2026, 12, 18) }));
    const text = /^Choose a plan now and it opens right away\. The first charge is on Dec 18, 2026/;
    expect(await screen.findByText(text)).toBeTruthy();
  });

  it("loads the provider's script first, then leaves for its page, once", async () => {
    const seen: unknown[] = [];
    await open(aTrial(), answers("https://checkout.stripe.com/c/pay/cs_1", seen));
    fireEvent.click(await screen.findByRole("radio", { name: "Yearly" }));
    const button = await screen.findByRole("button", { name: "Start Professional" });
    fireEvent.click(button);
    fireEvent.click(button);
    fireEvent.click(screen.getByRole("button", { name: "Start Enterprise" }));
    await waitFor(() => expect(button.textContent).toBe("…"));
    await waitFor(() =>
      expect(leavePage.mock.calls).toEqual([["https://checkout.stripe.com/c/pay/cs_1"]]),
    );
    expect(loadStripe).toHaveBeenCalledTimes(1);
    expect(seen).toEqual([[Tier.PROFESSIONAL, BillingInterval.YEAR]]);
    // Buttons are disabled while the browser navigates away, and enabled after Back.
    fireEvent.click(button);
    expect(button.textContent).toBe("…");
    window.dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true }));
    await waitFor(() => expect(button.textContent).toBe("Start Professional"));
    expect(seen).toHaveLength(1);
  });

  it("stays inside the product in the sandbox, without the script", async () => {
    const { router } = await open(
      aTrial({ provider: PaymentProvider.SANDBOX }),
      answers("/sandbox/checkout/cs_1"),
    );
    await press("Start Basic");
    await waitFor(() => expect(router.state.location.pathname).toBe("/sandbox/checkout/cs_1"));
    expect(loadStripe).not.toHaveBeenCalled();
    expect(leavePage).not.toHaveBeenCalled();
  });

  it("says that the script is missing and asks for no session", async () => {
    const { StripeNotLoaded } = await vi.importActual<typeof stripeScript>("./stripe-script");
    loadStripe.mockRejectedValue(new StripeNotLoaded());
    const seen: unknown[] = [];
    await open(aTrial(), answers("https://checkout.stripe.com/c/pay/cs_1", seen));
    await press("Start Basic");
    await expectToast("Payment Error", "Stripe not loaded");
    expect(seen).toEqual([]);
    expect(screen.getByRole("button", { name: "Start Basic" })).toBeTruthy();
  });

  it.each(["https://evil.test/pay", "//evil.test", "javascript:alert(1)", ""])(
    "does not follow %s",
    async (url) => {
      await open(aTrial(), answers(url));
      await press("Start Basic");
      await expectToast("Payment Error", "Failed to start checkout process");
      expect(leavePage).not.toHaveBeenCalled();
    },
  );

  it.each<[string, ConnectError, string | RegExp]>([
    [
      "provider down",
      refusal(Code.Unavailable, "PAYMENT_PROVIDER"),
      "The payment provider is not available right now. Please try again.",
    ],
    ["bare failure", new ConnectError("", Code.Internal), "Failed to start checkout process"],
    [
      "server's own words",
      new ConnectError("The card is strange.", Code.Internal),
      "The card is strange.",
    ],
  ])("shows why it failed: %s", async (_, error, text) => {
    await open(aTrial(), failing("createCheckoutSession", error));
    await press("Start Basic");
    await expectToast("Payment Error", text);
    expect(screen.getByRole("button", { name: "Start Basic" })).toBeTruthy();
  });

  it("refetches the subscription if it is already paid", async () => {
    await open(aTrial(), {
      billing: (state) => ({
        createCheckoutSession: () => {
          state.subscription = anActive();
          throw refusal(Code.FailedPrecondition, "ALREADY_SUBSCRIBED");
        },
      }),
    });
    await press("Start Basic");
    await expectToast("Payment Error", /^The subscription has changed in the meantime/);
    expect(await screen.findByText("Renews on Dec 14, 2026.")).toBeTruthy();
  });
});

describe("invoices and card", () => {
  it("open at the provider", async () => {
    await open(anActive(), {
      billing: () => ({ createPortalSession: () => ({ url: "https://billing.stripe.com/p/1" }) }),
    });
    await press("Invoices and card");
    await waitFor(() => expect(leavePage.mock.calls).toEqual([["https://billing.stripe.com/p/1"]]));
  });

  it("do not open anywhere else", async () => {
    await open(aGrace(), {
      billing: () => ({ createPortalSession: () => ({ url: "https://checkout.stripe.com/p/1" }) }),
    });
    await press("Update the card");
    await expectToast("Payment Error", "The invoices could not be opened. Please try again.");
    expect(leavePage).not.toHaveBeenCalled();
  });
});

describe("back from the checkout", () => {
  it("reports the payment, and waits for the provider's confirmation", async () => {
    const { state, router } = await open(aTrial(), { path: "/subscription?success=true" });
    await expectToast("Payment Successful!");
    expect(await screen.findByText(/^Waiting for the payment provider/)).toBeTruthy();
    await waitFor(() => expect(router.state.location.href).toBe("/subscription"));
    expect(screen.getByText("Free trial")).toBeTruthy();
    state.subscription = anActive();
    expect(await screen.findByText("Renews on Dec 14, 2026.")).toBeTruthy();
    expect(screen.queryByText(/^Waiting for the payment provider/)).toBeNull();
    // A later cancellation does not show the waiting state again.
    const requests = state.requests;
    state.subscription = aPlan(SubscriptionStatus.EXPIRED, {
      active: false,
      actions: [SubscriptionAction.CHECKOUT],
    });
    await new Promise((resolve) => setTimeout(resolve, 1_700));
    expect(state.requests).toBeLessThanOrEqual(requests + 1);
  });

  it("reports a late confirmation, and polls again on request", async () => {
    vi.useFakeTimers({
      shouldAdvanceTime: true,
      toFake: ["setTimeout", "setInterval", "clearTimeout", "clearInterval"],
    });
    try {
      const { state } = await open(aTrial(), { path: "/subscription?success=true" });
      await screen.findByText(/^Waiting for the payment provider/);
      await vi.advanceTimersByTimeAsync(16_000);
      expect(await screen.findByText(/^The confirmation has not arrived yet/)).toBeTruthy();
      state.subscription = anActive();
      await press("Check again");
      await vi.advanceTimersByTimeAsync(2_000);
      expect(await screen.findByText("Renews on Dec 14, 2026.")).toBeTruthy();
      expect(screen.queryByText(/confirmation/)).toBeNull();
    } finally {
      vi.useRealTimers();
    }
  });

  it("says that nothing was paid", async () => {
    const { router } = await open(aTrial(), { path: "/subscription?canceled=true" });
    await expectToast("Payment Canceled", "Nothing was charged, and your plan is unchanged.");
    await waitFor(() => expect(router.state.location.href).toBe("/subscription"));
    expect(router.history.length).toBe(1);
    expect(screen.queryByText(/^Waiting/)).toBeNull();
  });

  it.each(["?success=yes", "?success=false", "?canceled=1", "?success=%3Cscript%3E"])(
    "ignores %s",
    async (search) => {
      await open(aTrial(), { path: `/subscription${search}` });
      expect(await screen.findByText("Free trial")).toBeTruthy();
      expect(currentToast()).toBeNull();
    },
  );

  it("asks to sign in if the session has ended, and then reports the outcome", async () => {
    let signedIn = false;
    stubRest({
      "GET /api/auth/user": () => (signedIn ? { status: 200, body: owner } : visitor),
      "POST /api/auth/login": () => {
        signedIn = true;
        return { status: 200, body: owner };
      },
      "GET /api/plans": { status: 200, body: catalogue },
    });
    const transport = createRouterTransport(({ service }) => {
      service(BillingService, { getSubscription: () => ({ subscription: anActive() }) });
      service(EquipmentService, { getSummary: () => ({ total: 1, equipmentLimit: 30 }) });
    });
    const { router } = await renderApp("/subscription?success=true", transport);
    const name = await screen.findByLabelText(/business name/i);
    expect(currentToast()).toBeNull();
    fireEvent.change(name, { target: { value: "ana@acme.test" } });
    fireEvent.change(screen.getByLabelText(/^Password/), { target: { value: "gravel-7-quarry" } });
    await press(/^Sign In/i);
    await expectToast("Payment Successful!");
    expect(await screen.findByText("Renews on Dec 14, 2026.")).toBeTruthy();
    await waitFor(() => expect(router.state.location.href).toBe("/subscription"));
  });

  it("shows a visitor without a payment what an unknown path shows", async () => {
    stubRest({ "GET /api/auth/user": visitor, "GET /api/plans": { status: 200, body: catalogue } });
    await renderApp("/subscription");
    expect(await screen.findByRole("heading", { level: 1 })).toBeTruthy();
    expect(screen.queryByLabelText(/^Password/)).toBeNull();
    expect(screen.queryByRole("heading", { level: 1, name: "Subscription" })).toBeNull();
  });
});
