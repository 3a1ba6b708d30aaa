import type { ServiceImpl } from "@connectrpc/connect";
import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import {
  BillingInterval,
  BillingService,
  PaymentProvider,
  SubscriptionAction,
  SubscriptionStatus,
  Tier,
  type Subscription,
} from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { EquipmentService } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { changeLanguage } from "#/i18n";
import { currentToast, toast } from "#/shared/toast/store";
import { catalogue } from "#/test/plans";
import { owner, renderApp, stubRest, visitor } from "#/test/render-app";
import {
  aCanceled,
  aGrace,
  anActive,
  anAgreed,
  anExpired,
  aPaused,
  aPlan,
  aTrial,
  on,
} from "#/test/subscription";
import type * as stripeScript from "./stripe-script";

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
  toast.dismiss();
  leavePage.mockReset();
  loadStripe.mockReset();
  loadStripe.mockResolvedValue();
});

type Billing = Partial<ServiceImpl<typeof BillingService>>;

interface Options {
  total?: number;
  limit?: number;
  plansUp?: boolean;
  fail?: boolean;
  role?: "owner" | "manager";
  path?: string;
  billing?: (state: State) => Billing;
}

interface State {
  subscription: Subscription;
  plansUp: boolean;
  fail: boolean;
  requests: number;
}

async function open(subscription: Subscription, options: Options = {}) {
  const { total = 9, role = "owner", path = "/subscription", billing } = options;
  const state: State = {
    subscription,
    plansUp: options.plansUp ?? true,
    fail: options.fail ?? false,
    requests: 0,
  };
  stubRest({
    "GET /api/auth/user": { status: 200, body: { ...owner, role } },
    "GET /api/plans": () =>
      state.plansUp ? { status: 200, body: catalogue } : { status: 503, body: { message: "busy" } },
  });
  const transport = createRouterTransport(({ service }) => {
    service(BillingService, {
      getSubscription: () => {
        state.requests += 1;
        if (state.fail) throw new ConnectError("Not now.", Code.Internal);
        return { subscription: state.subscription };
      },
      ...billing?.(state),
    });
    service(EquipmentService, {
      getSummary: () => ({
        total,
        equipmentLimit: options.limit ?? state.subscription.entitlements?.equipmentLimit ?? -1,
      }),
    });
  });
  const { router } = await renderApp(path, transport);
  await screen.findByRole("heading", { level: 1, name: "Subscription" });
  return { state, router };
}

const card = async (name: string) => {
  const heading = await screen.findByRole("heading", { level: 3, name });
  const item = heading.closest("li");
  if (!item) throw new Error("A plan is an item of the list");
  return within(item);
};
const press = async (name: string | RegExp) =>
  fireEvent.click(await screen.findByRole("button", { name }));
const dialog = async (name: string) => within(await screen.findByRole("alertdialog", { name }));
const expectToast = (title: string, description?: string | RegExp) =>
  waitFor(() => {
    expect(currentToast()?.title).toBe(title);
    if (description instanceof RegExp) expect(currentToast()?.description).toMatch(description);
    else if (description) expect(currentToast()?.description).toBe(description);
  });

/** A refusal with google.rpc.ErrorInfo. */
function refusal(reason: string, code: Code, message = "No."): ConnectError {
  const text = new TextEncoder().encode(reason);
  const error = new ConnectError(message, code);
  error.details.push({
    type: "google.rpc.ErrorInfo",
    value: new Uint8Array([0x0a, text.length, ...text]),
  });
  return error;
}

describe("the current plan", () => {
  it.each<[string, Subscription, string, string]>([
    [
      "trial",
      aTrial(),
      "Free trial",
      "27 days of your free trial left, until Dec 18, 2026. No card is charged; choose a plan when you are ready.",
    ],
    [
      "last day of a trial",
      aTrial({ trialDaysLeft: 1 }),
      "Free trial",
      "1 day of your free trial left, until Dec 18, 2026. No card is charged; choose a plan when you are ready.",
    ],
    ["active", anActive(), "Active", "Renews on Dec 14, 2026."],
    [
      "agreed in writing",
      anAgreed(),
      "Active",
      "Your plan is arranged until Dec 14, 2026. To continue after that, choose a plan below.",
    ],
    [
      "grace",
      aGrace(),
      "Payment failed",
      "The last payment failed. Everything stays open until Nov 28, 2026; update your card and we'll retry the payment.",
    ],
    [
      "paused",
      aPaused(),
      "Paused",
      "Paused until Feb 21, 2027; then it resumes automatically. Nothing is billed until then.",
    ],
    [
      "canceled, still paid",
      aCanceled(),
      "Canceled",
      "Ends on Dec 14, 2026. Until then everything stays open, and nothing more is charged.",
    ],
    [
      "expired",
      anExpired(),
      "Expired",
      "It has ended. You can still read and export everything, and what operators send is kept.",
    ],
    [
      "trial over",
      aTrial({
        entitlements: { tier: Tier.BASIC, status: SubscriptionStatus.EXPIRED },
        trialEnd: on(2026, 11, 1),
      }),
      "Expired",
      "Your free trial ended on Nov 1, 2026. You can still read and export everything, and what operators send is kept.",
    ],
  ])("%s", async (_, subscription, label, text) => {
    await open(subscription);
    expect(await screen.findByText(label)).toBeTruthy();
    expect(screen.getByText(text)).toBeTruthy();
  });

  it.each([
    ["month", "$54 a month · Paid monthly"],
    ["year", "$550.80 a year · Paid yearly"],
  ])("shows what is paid each %s", async (billingInterval, price) => {
    await open(anActive({ billingInterval }));
    const heading = await screen.findByRole("heading", { name: "Current plan" });
    const section = heading.closest("section");
    await waitFor(() => expect(section?.textContent).toContain(price));
  });

  it("shows no price without a paid plan", async () => {
    await open(anExpired());
    await screen.findByText("Expired");
    await screen.findByRole("heading", { level: 3, name: "Enterprise" });
    expect(screen.queryByText("$54 a month")).toBeNull();
  });

  it("shows the equipment in use and which premium features are open", async () => {
    await open(aTrial());
    expect(await screen.findByText("9 of 15")).toBeTruthy();
    const premium = screen.getByRole("heading", { name: "Premium features" }).parentElement;
    const lines = within(premium ?? document.body).getAllByRole("listitem");
    expect(lines.map((line) => line.textContent)).toEqual([
      "Fuel analytics by machine and month: Not included",
      "Service parts with numbers and quantities: Not included",
    ]);
  });

  it.each([
    [15, 15, "15 of 15", /^The limit is reached/],
    [16, 15, "16 of 15", /^The limit is exceeded/],
  ])("%i of %i", async (total, limit, inUse, text) => {
    await open(aTrial(), { total, limit });
    expect(await screen.findByText(inUse)).toBeTruthy();
    expect(screen.getByText(text)).toBeTruthy();
  });

  it.each([
    [14, 15, "14 of 15"],
    [900, -1, "900, no limit"],
  ])("%i of %i without a warning", async (total, limit, inUse) => {
    await open(aTrial(), { total, limit });
    expect(await screen.findByText(inUse)).toBeTruthy();
    expect(screen.queryByText(/^The limit/)).toBeNull();
  });

  it.each<[string, Subscription, string[]]>([
    ["trial", aTrial(), ["Choose a plan", "End trial"]],
    ["active", anActive(), ["Change plan", "Pause", "Invoices and card", "Cancel subscription"]],
    ["grace", aGrace(), ["Update the card", "Cancel subscription"]],
    ["paused", aPaused(), ["Resume now", "Invoices and card", "Cancel subscription"]],
    ["canceled", aCanceled(), ["Keep my plan", "Invoices and card"]],
    ["expired", anExpired(), ["Choose a plan", "Invoices and card"]],
    ["agreed", anAgreed(), ["Choose a plan", "Cancel subscription"]],
  ])("offers what the server allows: %s", async (_, subscription, names) => {
    await open(subscription);
    const title = await screen.findByRole("heading", { name: "Current plan" });
    const section = within(title.closest("section") ?? document.body);
    await waitFor(() =>
      expect(section.getAllByRole("button").map((button) => button.textContent)).toEqual(names),
    );
  });

  it("lets only the owner cancel, and explains that to a manager", async () => {
    await open(anActive(), { role: "manager" });
    expect(await screen.findByText("Only the owner of the company can cancel.")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Cancel subscription" })).toBeNull();
    expect(screen.getByRole("button", { name: "Pause" })).toBeTruthy();
  });

  it("links to the plans, by keyboard too", async () => {
    const scroll = vi.fn<() => void>();
    Element.prototype.scrollIntoView = scroll;
    await open(anActive());
    await press("Change plan");
    expect(scroll).toHaveBeenCalledTimes(1);
    expect(document.activeElement).toBe(screen.getByRole("region", { name: "Plans" }));
  });

  it("stays usable when the subscription can't be loaded, and offers a retry", async () => {
    const { state } = await open(aTrial(), { fail: true });
    expect((await screen.findByRole("alert")).textContent).toContain("Not now.");
    expect(await card("Basic")).toBeTruthy();
    state.fail = false;
    await press("Try again");
    expect(await screen.findByText("Free trial")).toBeTruthy();
  });
});

describe("the plans", () => {
  it("cost by the month or by the year, to the cent", async () => {
    await open(aTrial());
    const text = (await card("Basic")).getByText("Billed every month");
    expect(text.closest("li")?.textContent).toContain("$32");
    fireEvent.click(screen.getByRole("radio", { name: "Yearly" }));
    const professional = await card("Professional");
    expect(professional.getByText("$46")).toBeTruthy();
    expect(professional.getByText("$550.80 billed once a year")).toBeTruthy();
    expect(professional.getByText("$97.20 a year less than paying monthly")).toBeTruthy();
    expect((await card("Basic")).getByText("$326.40 billed once a year")).toBeTruthy();
    expect((await card("Enterprise")).getByText("$1,020 billed once a year")).toBeTruthy();
    expect(screen.getByText("Launch special: 20% off all plans.")).toBeTruthy();
    expect(screen.getByText(/Paying yearly saves 15% more/)).toBeTruthy();
  });

  it("are compared side by side, line by line", async () => {
    await open(anActive());
    const table = within(await screen.findByRole("table", { name: "Compare the plans" }));
    const row = (name: string | RegExp) => {
      const cells = within(table.getByRole("row", { name })).getAllByRole("cell");
      return cells.map((cell) => cell.textContent);
    };
    expect(row(/^Paid monthly/)).toEqual(["$32", "$54", "$100"]);
    expect(row(/^Paid yearly/)).toEqual(["$326.40", "$550.80", "$1,020"]);
    expect(row(/^Pieces of equipment/)).toEqual(["15", "30", "No limit"]);
    expect(row(/^Fuel analytics.*Premium/)).toEqual(["Not included", "Included", "Included"]);
    expect(row(/^Vehicles/)).toEqual(["Included", "Included", "Included"]);
  });

  it.each<[string, Subscription, string, Array<string | null>]>([
    ["trial", aTrial(), "Monthly", ["Start Basic", "Start Professional", "Start Enterprise"]],
    ["expired", anExpired(), "Monthly", ["Start Basic", "Start Professional", "Start Enterprise"]],
    ["agreed", anAgreed(), "Monthly", ["Start Basic", "Start Professional", "Start Enterprise"]],
    ["active", anActive(), "Monthly", ["Downgrade to Basic", null, "Upgrade to Enterprise"]],
    [
      "active, by the year",
      anActive(),
      "Yearly",
      ["Downgrade to Basic", "Switch to yearly", "Upgrade to Enterprise"],
    ],
    [
      "paid by the year",
      anActive({ billingInterval: "year" }),
      "Monthly",
      ["Downgrade to Basic", "Switch to monthly", "Upgrade to Enterprise"],
    ],
    ["grace", aGrace(), "Monthly", [null, null, null]],
    ["paused", aPaused(), "Monthly", [null, null, null]],
    ["canceled", aCanceled(), "Monthly", [null, null, null]],
  ])("offer the available actions: %s", async (_, subscription, interval, labels) => {
    await open(subscription);
    await screen.findAllByRole("button", { name: /Invoices|the card|plan$/ });
    fireEvent.click(screen.getByRole("radio", { name: interval }));
    const found = await Promise.all(
      ["Basic", "Professional", "Enterprise"].map(
        async (name) => (await card(name)).queryByRole("button")?.textContent ?? null,
      ),
    );
    expect(found).toEqual(labels);
  });

  it.each<[string, Subscription, string]>([
    [
      "grace",
      aGrace(),
      "The last payment is still open. Once it is paid, you can change the plan.",
    ],
    [
      "paused",
      aPaused(),
      "Your subscription is paused. Resume it first, then you can change the plan.",
    ],
    [
      "canceled",
      aCanceled(),
      "Your plan is canceled and ends with the paid period. Keep it first, then you can change it.",
    ],
  ])("explain why nothing can be chosen: %s", async (_, subscription, text) => {
    await open(subscription);
    expect(await screen.findByText(text)).toBeTruthy();
  });

  it("mark the company's own: paid, or only its limits", async () => {
    await open(anActive({ billingInterval: "year" }));
    expect(await (await card("Professional")).findByText("Your plan")).toBeTruthy();
    // A company that pays yearly sees yearly prices first.
    expect(screen.getByRole("radio", { name: "Yearly", checked: true })).toBeTruthy();
  });

  it("mark only the limits of a trial", async () => {
    await open(aTrial());
    expect(await (await card("Basic")).findByText("Your current limits")).toBeTruthy();
  });

  it("may fail without the rest of the page", async () => {
    const { state } = await open(aTrial(), { plansUp: false });
    expect((await screen.findByRole("alert")).textContent).toContain("plans could not be loaded");
    expect(await screen.findByText("9 of 15")).toBeTruthy();
    state.plansUp = true;
    await press("Try again");
    expect(await card("Enterprise")).toBeTruthy();
  });
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
      refusal("PAYMENT_PROVIDER", Code.Unavailable),
      "The payment provider is not available right now. Please try again.",
    ],
    ["bare failure", new ConnectError("", Code.Internal), "Failed to start checkout process"],
    [
      "server's own words",
      new ConnectError("The card is strange.", Code.Internal),
      "The card is strange.",
    ],
  ])("shows why it failed: %s", async (_, error, text) => {
    await open(aTrial(), {
      billing: () => ({
        createCheckoutSession: () => {
          throw error;
        },
      }),
    });
    await press("Start Basic");
    await expectToast("Payment Error", text);
    expect(screen.getByRole("button", { name: "Start Basic" })).toBeTruthy();
  });

  it("refetches the subscription if it is already paid", async () => {
    await open(aTrial(), {
      billing: (state) => ({
        createCheckoutSession: () => {
          state.subscription = anActive();
          throw refusal("ALREADY_SUBSCRIBED", Code.FailedPrecondition);
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

describe("changing the plan", () => {
  const changed = (seen: unknown[]) => ({
    billing: (state: State) => ({
      changePlan: (request: { tier: Tier; interval: BillingInterval }) => {
        seen.push([request.tier, request.interval]);
        state.subscription = anActive({ tier: request.tier });
        return { subscription: state.subscription };
      },
    }),
  });

  it("shows the cost of an upgrade, and upgrades once", async () => {
    const seen: unknown[] = [];
    await open(anActive(), changed(seen));
    await press("Upgrade to Enterprise");
    const question = await dialog("Upgrade to Enterprise?");
    expect(question.getByText("New price: $100 a month.")).toBeTruthy();
    expect(question.getByText(/^Today your card is charged only the difference/)).toBeTruthy();
    const confirm = question.getByRole("button", { name: "Upgrade now" });
    fireEvent.click(confirm);
    fireEvent.click(confirm);
    await expectToast("Plan changed", "Enterprise, $100 a month.");
    expect(seen).toEqual([[Tier.ENTERPRISE, BillingInterval.MONTH]]);
    expect(screen.queryByRole("alertdialog")).toBeNull();
    expect(await (await card("Enterprise")).findByText("Your plan")).toBeTruthy();
  });

  it("warns about a plan that is too small, and about features that close", async () => {
    await open(anActive(), { ...changed([]), total: 22 });
    const text = /^You have 22 pieces of equipment, and this plan is for 15/;
    expect(await (await card("Basic")).findByText(text)).toBeTruthy();
    await press("Downgrade to Basic");
    const question = await dialog("Downgrade to Basic?");
    expect(question.getByText(text)).toBeTruthy();
    expect(
      question.getByText("Fuel analytics and parts entry close. Data already entered is kept."),
    ).toBeTruthy();
    expect(question.getByText(/^Nothing is charged today/)).toBeTruthy();
    fireEvent.click(question.getByRole("button", { name: "Cancel" }));
    expect(screen.queryByRole("alertdialog")).toBeNull();
  });

  it("does not warn while a limit was agreed with the company", async () => {
    await open(anActive({ limit: 200 }), { total: 22 });
    await press("Downgrade to Basic");
    const question = await dialog("Downgrade to Basic?");
    expect(question.getByText("Up to 200 pieces of equipment")).toBeTruthy();
    expect(question.queryByText(/^You have 22/)).toBeNull();
  });

  it.each([
    [
      "month",
      "Yearly",
      "Switch to yearly",
      "Switch to yearly billing?",
      /\$550\.80 is charged, minus/,
    ],
    [
      "year",
      "Monthly",
      "Switch to monthly",
      "Switch to monthly billing?",
      /^A new month begins today/,
    ],
  ])("from paying by the %s", async (billingInterval, radio, button, title, text) => {
    await open(anActive({ billingInterval }));
    await screen.findByRole("button", { name: "Pause" });
    fireEvent.click(screen.getByRole("radio", { name: radio }));
    await press(button);
    expect((await dialog(title)).getByText(text)).toBeTruthy();
  });

  it("stays open when the provider is down", async () => {
    await open(anActive(), {
      billing: () => ({
        changePlan: () => {
          throw refusal("PAYMENT_PROVIDER", Code.Unavailable);
        },
      }),
    });
    await press("Upgrade to Enterprise");
    fireEvent.click(
      (await dialog("Upgrade to Enterprise?")).getByRole("button", { name: "Upgrade now" }),
    );
    await expectToast(
      "Update Failed",
      "The payment provider is not available right now. Please try again.",
    );
    expect(
      (await dialog("Upgrade to Enterprise?")).getByRole("button", { name: "Upgrade now" }),
    ).toBeTruthy();
  });

  it("closes and shows the current state when someone else was faster", async () => {
    await open(anActive(), {
      billing: (state) => ({
        changePlan: () => {
          state.subscription = aPaused();
          throw refusal("SUBSCRIPTION_STATE", Code.FailedPrecondition, "Paused.");
        },
      }),
    });
    await press("Upgrade to Enterprise");
    fireEvent.click(
      (await dialog("Upgrade to Enterprise?")).getByRole("button", { name: "Upgrade now" }),
    );
    await expectToast("Update Failed", /^The subscription has changed in the meantime/);
    expect(await screen.findByRole("button", { name: "Resume now" })).toBeTruthy();
    expect(screen.queryByRole("alertdialog")).toBeNull();
  });
});

describe("pause", () => {
  it.each([
    [3, "Feb 21, 2027"],
    [6, "May 21, 2027"],
  ])("for %i months explains the effect, and pauses once", async (months, date) => {
    const seen: number[] = [];
    await open(anActive(), {
      billing: (state) => ({
        pauseSubscription: (request) => {
          seen.push(request.months);
          state.subscription = aPaused();
          return { subscription: state.subscription };
        },
      }),
    });
    await press("Pause");
    const question = await dialog("Pause the subscription?");
    fireEvent.click(question.getByRole("radio", { name: `${months} months` }));
    expect(question.getByText(new RegExp(`^It resumes automatically on ${date}`))).toBeTruthy();
    expect(question.getByText("Nothing is billed while it is paused.")).toBeTruthy();
    const confirm = question.getByRole("button", { name: `Pause for ${months} months` });
    fireEvent.click(confirm);
    fireEvent.click(confirm);
    await expectToast("Subscription paused", "It resumes automatically on Feb 21, 2027.");
    expect(seen).toEqual([months]);
    expect(await screen.findByRole("button", { name: "Resume now" })).toBeTruthy();
  });

  it("may fail", async () => {
    await open(anActive(), {
      billing: () => ({
        pauseSubscription: () => {
          throw new ConnectError("Not today.", Code.Internal);
        },
      }),
    });
    await press("Pause");
    fireEvent.click(
      (await dialog("Pause the subscription?")).getByRole("button", { name: "Pause for 3 months" }),
    );
    await expectToast("Pause Failed", "Not today.");
    expect(screen.getByRole("alertdialog")).toBeTruthy();
  });
});

describe("reactivation", () => {
  const reactivates = {
    billing: (state: State) => ({
      reactivateSubscription: () => {
        state.subscription = anActive();
        return { subscription: state.subscription };
      },
    }),
  };

  it("ends a pause and shows what is billed", async () => {
    await open(aPaused(), reactivates);
    await screen.findByText("$54 a month");
    await press("Resume now");
    const question = await dialog("Resume the subscription?");
    expect(question.getByText("Billing resumes immediately, at $54 a month.")).toBeTruthy();
    fireEvent.click(question.getByRole("button", { name: "Resume now" }));
    await expectToast("Subscription resumed");
    expect(await screen.findByText("Renews on Dec 14, 2026.")).toBeTruthy();
  });

  it("undoes a cancellation", async () => {
    await open(aCanceled(), reactivates);
    await screen.findByText("$54 a month");
    await press("Keep my plan");
    const question = await dialog("Keep your plan?");
    expect(question.getByText("It renews on Dec 14, 2026, at $54 a month.")).toBeTruthy();
    fireEvent.click(question.getByRole("button", { name: "Keep my plan" }));
    await expectToast("Your plan continues");
  });

  it("may fail", async () => {
    await open(aPaused(), {
      billing: () => ({
        reactivateSubscription: () => {
          throw refusal("PAYMENT_PROVIDER", Code.Unavailable);
        },
      }),
    });
    await press("Resume now");
    fireEvent.click(
      (await dialog("Resume the subscription?")).getByRole("button", { name: "Resume now" }),
    );
    await expectToast("Reactivation Failed", /^The payment provider is not available/);
    expect(screen.getByRole("alertdialog")).toBeTruthy();
  });
});

describe("cancel", () => {
  it.each<[string, Subscription, string, string, string | RegExp, string]>([
    [
      "trial",
      aTrial(),
      "End trial",
      "End the free trial now?",
      /^Access ends immediately for everyone/,
      "End trial now",
    ],
    [
      "paid",
      anActive(),
      "Cancel subscription",
      "Cancel the subscription?",
      "Everything stays open until Dec 14, 2026, the end of what you have paid for.",
      "Cancel subscription",
    ],
    [
      "unpaid",
      aGrace(),
      "Cancel subscription",
      "Cancel the subscription?",
      /^Access ends immediately, and the open payment/,
      "Cancel subscription",
    ],
    [
      "paused",
      aPaused(),
      "Cancel subscription",
      "Cancel the subscription?",
      /^The pause ends\. If a paid period/,
      "Cancel subscription",
    ],
    [
      "agreed",
      anAgreed(),
      "Cancel subscription",
      "Cancel the subscription?",
      "Everything stays open until Dec 14, 2026, as agreed with us.",
      "Cancel subscription",
    ],
  ])("explains the effect: %s", async (_, subscription, button, title, text, confirm) => {
    let times = 0;
    await open(subscription, {
      billing: (state) => ({
        cancelSubscription: () => {
          times += 1;
          state.subscription = anExpired();
          return { subscription: state.subscription };
        },
      }),
    });
    await press(button);
    const question = await dialog(title);
    expect(question.getByText(text)).toBeTruthy();
    const yes = question.getByRole("button", { name: confirm });
    fireEvent.click(yes);
    fireEvent.click(yes);
    await expectToast(button === "End trial" ? "Free trial ended" : "Subscription canceled");
    expect(times).toBe(1);
  });

  it("shows until when everything stays open", async () => {
    await open(anActive(), {
      billing: (state) => ({
        cancelSubscription: () => {
          state.subscription = aCanceled();
          return { subscription: state.subscription };
        },
      }),
    });
    await press("Cancel subscription");
    const question = await dialog("Cancel the subscription?");
    fireEvent.click(question.getByRole("button", { name: "Cancel subscription" }));
    await expectToast("Subscription canceled", "Everything stays open until Dec 14, 2026.");
    expect(await screen.findByRole("button", { name: "Keep my plan" })).toBeTruthy();
    // The button that opened the dialog is removed.
    const title = screen.getByRole("heading", { level: 1 });
    await waitFor(() => expect(document.activeElement).toBe(title));
  });

  it("may fail", async () => {
    await open(anActive(), {
      billing: () => ({
        cancelSubscription: () => {
          throw new ConnectError("Not today.", Code.Internal);
        },
      }),
    });
    (await screen.findByRole("button", { name: "Cancel subscription" })).focus();
    await press("Cancel subscription");
    fireEvent.click(
      (await dialog("Cancel the subscription?")).getByRole("button", {
        name: "Cancel subscription",
      }),
    );
    await expectToast("Cancellation Failed", "Not today.");
    expect(screen.getByRole("alertdialog")).toBeTruthy();
    await press("Keep subscription");
    const button = await screen.findByRole("button", { name: "Cancel subscription" });
    await waitFor(() => expect(document.activeElement).toBe(button));
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

describe("news and questions", () => {
  it("answers questions with the catalogue's figures", async () => {
    await open(aTrial());
    expect(
      await screen.findByText(/^No\. The trial lasts 4-week|^No\. The trial lasts 4 weeks/),
    ).toBeTruthy();
    expect(screen.getByText(/^12 months are charged up front, 15% below/)).toBeTruthy();
    const news = within(screen.getByRole("region", { name: "What's new" }));
    expect(news.getAllByRole("listitem")).toHaveLength(6);
  });

  it("speaks Spanish", async () => {
    await open(anActive());
    await changeLanguage("es");
    expect(await screen.findByText("Se renueva el 14 dic 2026.")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Subir a Empresarial" })).toBeTruthy();
  });
});
