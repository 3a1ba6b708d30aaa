import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { SubscriptionStatus } from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { changeLanguage } from "#/i18n";
import { account, details, open, press, reasonText, type } from "./admin-accounts.fixture";

const page = (name = "Business 1") =>
  screen.findByRole("heading", { level: 1, name: new RegExp(name) });
const fact = (label: string) =>
  screen.getByText(label, { selector: "dt" }).nextElementSibling?.textContent;

describe("an account's page", () => {
  it("opens from the list and shows plan, use, people and last sign-ins", async () => {
    const { router } = await open([account(1, { equipment: 3, limit: 30 })]);
    fireEvent.click(await screen.findByRole("link", { name: "Business 1" }));
    await page();
    expect(router.state.location.pathname).toBe("/admin-accounts/a1");
    expect(fact("Plan")).toBe("Basic");
    expect(fact("Renews or ends")).toBe("Renews Jan 5, 2027");
    expect(fact("Equipment in use")).toBe("3 of 30");
    expect(fact("Owner")).toBe("Dana Ruiz");
    expect(fact("Owner's last sign-in")).toContain("Nov 20, 2026");
    expect(fact("Managers")).toBe("2");
    expect(fact("Operators")).toBe("7");
    expect(fact("Operator password")).toBe("Set, not shown");
  });

  it("lists how the plan changed and what support did, newest first, in both languages", async () => {
    await open([account(1)], {}, {}, "/admin-accounts/a1");
    await page();
    const items = () =>
      within(screen.getByRole("region", { name: "Plan history and support" }))
        .getAllByRole("listitem")
        .map((item) => item.textContent);
    const [revealed, changed] = items();
    expect(revealed).toContain("Hourmeter support (Sam Ortiz) viewed the shared operator password");
    expect(revealed).toContain(reasonText);
    expect(changed).toContain("Professional");
    await changeLanguage("es");
    expect(await screen.findByText("Historial del plan y soporte")).toBeTruthy();
    expect(screen.getAllByText("Soporte de Hourmeter (Sam Ortiz)").length).toBe(2);
  });

  it("shows what changed after an action", async () => {
    const trial = {
      status: SubscriptionStatus.TRIAL,
      expiry: null,
      trialEnd: "2026-12-01T18:00:00Z",
    };
    const accounts = [account(1, trial)];
    const longer = account(1, { ...trial, trialEnd: "2027-03-01T18:00:00Z" });
    await open(
      accounts,
      {
        extendTrial: () => {
          accounts[0] = longer;
          return longer.billed ? { subscription: longer.billed } : {};
        },
      },
      {},
      "/admin-accounts/a1",
    );
    await page();
    expect(fact("Renews or ends")).toBe("Trial ends Dec 1, 2026");
    press("Extend trial");
    type("Days from today", "90");
    type("Reason", reasonText);
    fireEvent.click(
      within(screen.getByRole("dialog")).getByRole("button", { name: "Extend trial" }),
    );
    await waitFor(() => expect(fact("Renews or ends")).toBe("Trial ends Mar 1, 2027"));
  });

  it("is the page for unknown addresses if there is no such account", async () => {
    await open([account(1)], {}, {}, "/admin-accounts/a9");
    expect(await screen.findByRole("heading", { name: "Page not found" })).toBeTruthy();
  });

  it("has an empty history", async () => {
    await open([account(1)], {}, {}, "/admin-accounts/a1", { ...details, events: [] });
    await page();
    expect(screen.getByText("Nothing yet.")).toBeTruthy();
  });
});
