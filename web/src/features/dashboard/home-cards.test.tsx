import { createRouterTransport } from "@connectrpc/connect";
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { AccountsService, Role } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { BillingService } from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { EquipmentService } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { OperatorUpdatesService } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";
import { owner, renderApp, stubRest } from "#/test/render-app";

const maria = { id: "o1", firstName: "Maria", lastName: "Lopez", role: Role.OPERATOR };

async function open(path: string) {
  stubRest({ "GET /api/auth/user": { status: 200, body: owner } });
  const requests: string[] = [];
  const transport = createRouterTransport(({ service }) => {
    service(AccountsService, {
      getCompanySettings: () => ({ settings: { timeZone: "UTC" } }),
      listEmployees: () => ({ employees: [maria] }),
    });
    service(BillingService, {
      getSubscription: () => ({ subscription: { entitlements: { fuelAnalytics: true } } }),
    });
    service(OperatorUpdatesService, { listUpdates: () => ({}) });
    service(EquipmentService, {
      getSummary: () => ({ total: 1, good: 1, equipmentLimit: 15 }),
      listEquipment: () => ({ equipment: [{ id: "a", name: "Loader" }] }),
      listHistory: () => ({}),
      getFuelSummary: ({ from }) => {
        requests.push(from);
        return { total: 12, gas: 12 };
      },
    });
  });
  const { router } = await renderApp(path, transport);
  await screen.findByRole("heading", { name: "Fuel analytics" });
  return { router, requests };
}

describe("the manager's dashboard", () => {
  it("has all its cards, in their order", async () => {
    await open("/");
    await screen.findByRole("button", { name: "Reset a password", expanded: false });
    const headings = screen.getAllByRole("heading", { level: 2 }).map((each) => each.textContent);
    expect(headings.slice(-5)).toEqual([
      "Waiting for review",
      "Recent Operator Updates",
      "Equipment History",
      "Fuel analytics",
      "Admin Tools",
    ]);
  });

  it("keeps the range of the fuel figures in the URL, beside the filter", async () => {
    const { router, requests } = await open("/?fuel=custom&fuelFrom=2026-01-01&fuelTo=never");
    await waitFor(() => expect(requests).toContain("2026-01-01"));
    fireEvent.click(screen.getByRole("button", { name: /^Overdue/ }));
    await waitFor(() =>
      expect(router.state.location.search).toEqual({
        fuel: "custom",
        fuelFrom: "2026-01-01",
        status: "overdue",
      }),
    );
    fireEvent.change(screen.getByLabelText("Period"), { target: { value: "year" } });
    await waitFor(() =>
      expect(router.state.location.search).toEqual({ fuel: "year", status: "overdue" }),
    );
  });
});
