import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import {
  SubscriptionStatus,
  Tier,
  type Subscription,
} from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { changeLanguage } from "#/i18n";
import {
  aCanceled,
  aGrace,
  anActive,
  anAgreed,
  anExpired,
  aPaused,
  aTrial,
  on,
} from "#/test/subscription";
import { card, open, press } from "./subscription-page.fixture";

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

  it.each([
    ["a plan with fuel analytics", anActive(), true],
    ["a trial", aTrial(), false],
    ["a failed payment", aGrace(), false],
    ["a pause", aPaused(), false],
  ])(
    "of %s leads to fuel analytics if nothing else is to do: %s",
    async (_, subscription, leads) => {
      await open(subscription);
      await screen.findByRole("heading", { name: "Premium features" });
      const link = screen.queryByRole("link", { name: "Open fuel analytics" });
      expect(link?.getAttribute("href") ?? null).toBe(leads ? "/fuel" : null);
    },
  );

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
    expect(await professional.findByText("$46")).toBeTruthy();
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
      "Your plan is canceled and ends with the current period. Keep it first, then you can change it.",
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
