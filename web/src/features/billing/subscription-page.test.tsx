import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import { fireEvent, screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import {
  BillingService,
  SubscriptionStatus,
  Tier,
} from "#/api/gen/hourmeter/billing/v1/billing_pb";
import type * as pb from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { EquipmentService } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { catalogue } from "#/test/plans";
import { owner, renderApp, stubRest } from "#/test/render-app";

type Fields<Message> = Partial<Omit<Message, "$typeName" | "$unknown">>;
type Subscription = Fields<Omit<pb.Subscription, "entitlements">> & {
  entitlements: Fields<pb.Entitlements>;
};

const on = (month: number, day: number) => timestampFromDate(new Date(2026, month - 1, day, 12));

const trial: Subscription = {
  entitlements: { tier: Tier.BASIC, status: SubscriptionStatus.TRIAL, active: true },
  trialEnd: on(12, 18),
  trialDaysLeft: 12,
};

async function open(
  subscription: Subscription,
  summary: { total?: number; equipmentLimit?: number } = {},
  plansUp = true,
  fail = false,
) {
  const state = { plansUp, fail };
  stubRest({
    "GET /api/auth/user": { status: 200, body: owner },
    "GET /api/plans": () =>
      state.plansUp ? { status: 200, body: catalogue } : { status: 503, body: { message: "busy" } },
  });
  const transport = createRouterTransport(({ service }) => {
    service(BillingService, {
      getSubscription: () => {
        if (state.fail) throw new ConnectError("Not now.", Code.Internal);
        return { subscription };
      },
    });
    service(EquipmentService, {
      getSummary: () => ({ total: 9, equipmentLimit: 15, ...summary }),
    });
  });
  await renderApp("/subscription", transport);
  await screen.findByRole("heading", { level: 1, name: "Subscription" });
  return state;
}

describe("the current plan", () => {
  const paid = (
    more: Omit<Subscription, "entitlements">,
    active = true,
    status: SubscriptionStatus = SubscriptionStatus.ACTIVE,
  ) => ({
    entitlements: { tier: Tier.PROFESSIONAL, status, active },
    ...more,
  });
  it.each<[string, Subscription, string, string]>([
    ["trial", trial, "Free trial", "12 days of your free trial left, until Dec 18, 2026."],
    [
      "last day of a trial",
      { ...trial, trialDaysLeft: 1 },
      "Free trial",
      "1 day of your free trial left, until Dec 18, 2026.",
    ],
    ["active", paid({ currentPeriodEnd: on(12, 31) }), "Active", "Renews on Dec 31, 2026."],
    [
      "active to the end of the period",
      paid({ currentPeriodEnd: on(12, 31), cancelAtPeriodEnd: true }),
      "Active",
      "Ends on Dec 31, 2026. Until then everything stays open.",
    ],
    ["active without a period", paid({}), "Active", "Paid and active."],
    [
      "paused",
      paid({ pauseEnd: on(3, 1) }, false, SubscriptionStatus.PAUSED),
      "Paused",
      "Paused until Mar 1, 2026. Nothing is billed; you can read and export everything.",
    ],
    [
      "canceled, still paid",
      paid({ currentPeriodEnd: on(12, 31) }, true, SubscriptionStatus.CANCELED),
      "Canceled",
      "Ends on Dec 31, 2026. Until then everything stays open.",
    ],
    [
      "expired",
      paid({}, false, SubscriptionStatus.EXPIRED),
      "Expired",
      "It has ended. You can still read and export everything, and what operators send is kept.",
    ],
  ])("%s", async (_, subscription, label, text) => {
    await open(subscription);
    expect(await screen.findByText(label)).toBeTruthy();
    expect(screen.getByText(text)).toBeTruthy();
  });

  it("shows the equipment in use and which premium features are open", async () => {
    await open({
      ...trial,
      entitlements: { ...trial.entitlements, fuelAnalytics: true, partsEntry: false },
    });
    expect(await screen.findByText("9 of 15")).toBeTruthy();
    const premium = screen.getByRole("heading", { name: "Premium features" }).parentElement;
    const lines = within(premium ?? document.body).getAllByRole("listitem");
    expect(lines.map((line) => line.textContent)).toEqual([
      "Fuel analytics by machine and month: Included",
      "Service parts with numbers and quantities: Not included",
    ]);
  });

  it.each([
    [15, 15, "15 of 15", /^The limit is reached/],
    [16, 15, "16 of 15", /^The limit is exceeded/],
  ])("%i of %i", async (total, equipmentLimit, inUse, text) => {
    await open(trial, { total, equipmentLimit });
    expect(await screen.findByText(inUse)).toBeTruthy();
    expect(screen.getByText(text)).toBeTruthy();
  });

  it.each([
    [14, 15, "14 of 15"],
    [900, -1, "900, without limit"],
  ])("%i of %i, nothing to warn of", async (total, equipmentLimit, inUse) => {
    await open(trial, { total, equipmentLimit });
    expect(await screen.findByText(inUse)).toBeTruthy();
    expect(screen.queryByText(/^The limit/)).toBeNull();
  });
});

describe("the plans", () => {
  const card = async (name: string) => {
    const heading = await screen.findByRole("heading", { level: 3, name });
    const item = heading.closest("li");
    if (!item) throw new Error("A plan is an item of the list");
    return within(item);
  };

  it("can be asked for in writing, by month or year", async () => {
    await open(trial);
    const basic = await card("Basic");
    expect(basic.getByText("Your current limits")).toBeTruthy();
    fireEvent.click(screen.getByRole("radio", { name: "Yearly" }));
    const professional = await card("Professional");
    expect(professional.getByText("$46")).toBeTruthy();
    fireEvent.click(professional.getByRole("link", { name: "Ask for Professional" }));
    const subject = await screen.findByRole<HTMLInputElement>("textbox", { name: "Subject" });
    expect(subject.value).toBe("Professional plan");
    const message = screen.getByRole<HTMLTextAreaElement>("textbox", { name: "Message" });
    expect(message.value).toContain("paid yearly, for Acme Earthworks");
  });

  it("mark the one that is paid and don't offer it again", async () => {
    await open({
      entitlements: {
        tier: Tier.PROFESSIONAL,
        status: SubscriptionStatus.ACTIVE,
        active: true,
      },
    });
    const own = await card("Professional");
    expect(await own.findByText("Your plan")).toBeTruthy();
    expect(own.queryByRole("link")).toBeNull();
    expect((await card("Basic")).getByRole("link", { name: "Ask for Basic" })).toBeTruthy();
  });

  it("stay when the subscription can't be read, which offers another try", async () => {
    const state = await open(trial, {}, true, true);
    expect((await screen.findByRole("alert")).textContent).toContain("Not now.");
    expect(await card("Basic")).toBeTruthy();
    state.fail = false;
    fireEvent.click(screen.getByRole("button", { name: "Try again" }));
    expect(await screen.findByText("Free trial")).toBeTruthy();
  });

  it("may fail alone; the rest of the page lives", async () => {
    const state = await open(trial, {}, false);
    expect((await screen.findByRole("alert")).textContent).toContain("plans could not be loaded");
    expect(await screen.findByText("9 of 15")).toBeTruthy();
    state.plansUp = true;
    fireEvent.click(screen.getByRole("button", { name: "Try again" }));
    expect(await card("Enterprise")).toBeTruthy();
  });
});
