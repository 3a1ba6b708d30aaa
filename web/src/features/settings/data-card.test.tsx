import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import { fireEvent, screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { AccountsService } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { BillingService, SubscriptionStatus } from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { currentToast } from "#/shared/toast/store";
import { owner, renderApp, stubRest } from "#/test/render-app";

const due = new Date("2026-12-03T16:00:00Z");

interface Case {
  role?: string;
  scheduled?: boolean;
  status?: SubscriptionStatus;
}

async function open({
  role = "owner",
  scheduled = false,
  status = SubscriptionStatus.TRIAL,
}: Case = {}) {
  stubRest({ "GET /api/auth/user": { status: 200, body: { ...owner, role } } });
  const state = { scheduled, refused: false };
  const requests: string[] = [];
  const settings = () => ({
    companyName: "Acme Earthworks",
    timeZone: "America/Chicago",
    ...(state.scheduled ? { deletionDueAt: timestampFromDate(due) } : {}),
  });
  const transport = createRouterTransport(({ service }) => {
    service(AccountsService, {
      getCompanySettings: () => ({ settings: settings() }),
      getSecondFactor: () => ({ secondFactor: {} }),
      requestCompanyDeletion: ({ companyName }) => {
        requests.push(companyName);
        if (state.refused) throw new ConnectError("Not now.", Code.Unavailable);
        state.scheduled = true;
        return { settings: settings() };
      },
      cancelCompanyDeletion: () => {
        state.scheduled = false;
        return { settings: settings() };
      },
    });
    service(BillingService, {
      getSubscription: () => ({ subscription: { entitlements: { status } } }),
    });
  });
  await renderApp("/settings", transport);
  await screen.findByRole("textbox", { name: "Company Name" });
  return { state, requests };
}

describe("deletion of the company", () => {
  it("is scheduled after its name was typed, and canceled", async () => {
    const { state, requests } = await open();
    fireEvent.click(screen.getByRole("button", { name: "Delete company…" }));
    const dialog = within(screen.getByRole("dialog"));
    const name = dialog.getByRole("textbox");
    fireEvent.change(name, { target: { value: "acme" } });
    fireEvent.submit(name);
    await dialog.findByText("Please enter the company's name exactly as it is.");
    expect(requests).toEqual([]);
    state.refused = true;
    fireEvent.change(name, { target: { value: " Acme Earthworks " } });
    fireEvent.submit(name);
    await dialog.findByRole("alert");
    state.refused = false;
    fireEvent.submit(name);
    await screen.findByText(/will be deleted on .*2026/);
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(requests).toEqual(["Acme Earthworks", "Acme Earthworks"]);

    fireEvent.click(screen.getByRole("button", { name: "Keep the company" }));
    await screen.findByRole("button", { name: "Delete company…" });
    expect(currentToast()?.title).toBe("Deletion canceled");
  });

  it("says that a running subscription must be canceled first", async () => {
    await open({ status: SubscriptionStatus.ACTIVE });
    fireEvent.click(screen.getByRole("button", { name: "Delete company…" }));
    expect(await screen.findByText(/subscription is still running/)).toBeTruthy();
  });

  it("is shown to managers, who can't change it", async () => {
    await open({ role: "manager", scheduled: true });
    expect(await screen.findByText(/will be deleted on/)).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Keep the company" })).toBeNull();
    expect(screen.queryByRole("button", { name: "Export" })).toBeNull();
  });
});
