import { createRouterTransport } from "@connectrpc/connect";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { AccountsService, Role } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { BillingService, SubscriptionStatus } from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { EquipmentService } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { owner, renderApp, stubRest } from "#/test/render-app";

const at = "2026-01-05T12:00:00Z";
const steps = { id: "n1", kind: "first_steps", at };
const cards = { id: "n2", kind: "first_cards", at };

async function open({ notices = [steps, cards], total = 0, operators = 0 } = {}) {
  stubRest({ "GET /api/auth/user": { status: 200, body: { ...owner, notices } } });
  const dismissed: string[] = [];
  const transport = createRouterTransport(({ service }) => {
    service(AccountsService, {
      getCurrentUser: () => ({ user: { emailVerified: operators > 0 } }),
      getCompanySettings: () => ({ settings: { operatorPasswordSet: operators > 0 } }),
      listEmployees: () => ({
        employees: Array.from({ length: operators }, (_, index) => ({
          id: `o${index}`,
          role: Role.OPERATOR,
        })),
      }),
      dismissNotice: ({ id }) => {
        dismissed.push(id);
        return {};
      },
    });
    service(BillingService, {
      getSubscription: () => ({
        subscription: {
          trialDaysLeft: 28,
          entitlements: { status: SubscriptionStatus.TRIAL, active: true },
        },
      }),
    });
    service(EquipmentService, {
      getSummary: () => ({ total, equipmentLimit: 15 }),
      listEquipment: () => ({}),
      listHistory: () => ({}),
    });
  });
  await renderApp("/", transport);
  await screen.findByRole("heading", { level: 1, name: "Dashboard" });
  return { dismissed };
}

const list = () => screen.findByRole("region", { name: "First steps" });

describe("the first steps of a new company", () => {
  it("begin with the first machine, and show the days of the trial", async () => {
    await open();
    const region = await list();
    await screen.findByRole("link", { name: "Add a machine" });
    expect(region.textContent).toContain("0 of 8 done · 28 days of your free trial left");
    // Cards need an operator first.
    expect(screen.queryByRole("link", { name: "Print a card" })).toBeNull();
    const profile = within(region).getAllByRole("link", { name: "Open profile" });
    const targets = profile.map((link) => link.getAttribute("href"));
    expect(targets).toEqual(["/profile", "/profile#security"]);
  });

  it("open the dialog of a step when the steps before it are done", async () => {
    await open({ total: 3, operators: 1 });
    const link = await screen.findByRole("link", { name: "Print a card" });
    expect(link.getAttribute("href")).toBe("/employees?open=print");
    const region = await list();
    expect(region.textContent).toContain("4 of 8 done");
    expect(within(region).getAllByRole("listitem")).toHaveLength(8);
    expect(within(region).getAllByRole("img", { name: "Done" })).toHaveLength(4);
    expect(within(region).queryByRole("link", { name: "Add a machine" })).toBeNull();
  });

  it("are hidden for good on request", async () => {
    const { dismissed } = await open();
    fireEvent.click(await screen.findByRole("button", { name: "Hide the first steps" }));
    await waitFor(() => expect(screen.queryByRole("region", { name: "First steps" })).toBeNull());
    expect(dismissed).toEqual(["n1"]);
    expect(screen.getByText("No equipment yet")).toBeTruthy();
  });

  it("are not shown without the server's notice", async () => {
    await open({ notices: [] });
    expect(await screen.findByText("No equipment yet")).toBeTruthy();
    expect(screen.queryByRole("region", { name: "First steps" })).toBeNull();
  });
});
