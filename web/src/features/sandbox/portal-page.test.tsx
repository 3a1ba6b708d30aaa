import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import {
  BillingInterval,
  SandboxInvoiceSchema,
  SandboxInvoiceStatus,
  Tier,
} from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { changeLanguage } from "#/i18n";
import { currentToast } from "#/shared/toast/store";
import { openSandbox, sandbox } from "./sandbox.fixture";

const path = "/sandbox/portal";
const press = async (name: string) => fireEvent.click(await screen.findByRole("button", { name }));

const invoice = (
  number: string,
  cents: number,
  status: SandboxInvoiceStatus,
  interval: BillingInterval = BillingInterval.MONTH,
) =>
  create(SandboxInvoiceSchema, {
    number,
    cents,
    status,
    interval,
    tier: Tier.ENTERPRISE,
    createdAt: timestampFromDate(new Date(2026, 10, 20, 12)),
  });

describe("the invoices", () => {
  it("are listed with date, plan, interval, amount and status", async () => {
    const state = sandbox();
    state.portal.invoices = [
      invoice("HM-4", 10_000, SandboxInvoiceStatus.OPEN),
      invoice("HM-3", -1742, SandboxInvoiceStatus.PAID),
      invoice("HM-2", 5400, SandboxInvoiceStatus.VOID),
      invoice("HM-1", 55_080, SandboxInvoiceStatus.PAID, BillingInterval.YEAR),
    ];
    await openSandbox(path, state);
    const table = await screen.findByRole("table", { name: "Invoices" });
    const lines = within(table)
      .getAllByRole("row")
      .slice(1)
      .map((row) => row.textContent);
    expect(lines).toEqual([
      "HM-4Nov 20, 2026EnterpriseMonthlyNot paid$100.00",
      "HM-3Nov 20, 2026EnterpriseMonthlyPaid-$17.42Credit",
      "HM-2Nov 20, 2026EnterpriseMonthlyVoid$54.00",
      "HM-1Nov 20, 2026EnterpriseYearlyPaid$550.80",
    ]);
    expect(screen.queryByRole("navigation")).toBeNull();
    await changeLanguage("es");
    expect(await screen.findByText("Sin pagar")).toBeTruthy();
  });

  it("have an empty state and a link back", async () => {
    const { router } = await openSandbox(path, sandbox());
    expect(await screen.findByText("No invoices yet")).toBeTruthy();
    fireEvent.click(screen.getByRole("link", { name: "Back to Subscription" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/subscription"));
  });

  it("that can't be loaded offer a retry", async () => {
    const state = sandbox();
    state.fail = new ConnectError("The disk is full.", Code.Internal);
    await openSandbox(path, state);
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toContain("The invoices could not be loaded.");
    expect(alert.textContent).toContain("The disk is full.");
    state.fail = null;
    await press("Try again");
    expect(await screen.findByText("No invoices yet")).toBeTruthy();
  });

  it("are empty for a company without a checkout", async () => {
    const state = sandbox();
    state.fail = new ConnectError("Not found.", Code.NotFound);
    await openSandbox(path, state);
    expect(await screen.findByRole("heading", { name: "No invoices yet" })).toBeTruthy();
    expect(screen.getByRole("link", { name: "Go to Subscription" })).toBeTruthy();
  });
});

describe("the card", () => {
  it("can be made to decline and to work again, once a press", async () => {
    const state = sandbox();
    let open: () => void = () => undefined;
    state.gate = new Promise((resolve) => {
      open = resolve;
    });
    await openSandbox(path, state);
    expect(await screen.findByText("The card works")).toBeTruthy();
    await press("Make it decline");
    await press("Saving…");
    open();
    expect(await screen.findByText("The card declines")).toBeTruthy();
    expect(screen.getAllByText("The next renewal fails.").length).toBeGreaterThan(0);
    await press("Make it work");
    expect(await screen.findByText("The card works")).toBeTruthy();
    expect(state.cards).toEqual([true, false]);
    expect(currentToast()).toMatchObject({ tone: "success", title: "Card works again" });
  });

  it("shows why it could not be changed", async () => {
    const state = sandbox();
    await openSandbox(path, state);
    await screen.findByText("The card works");
    state.fail = new ConnectError("Not now.", Code.Internal);
    await press("Make it decline");
    expect((await screen.findByRole("alert")).textContent).toContain("Not now.");
    expect(screen.getByText("The card works")).toBeTruthy();
  });
});
