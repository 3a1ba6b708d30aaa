import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { SubscriptionStatus, Tier } from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { AccountState } from "#/api/gen/hourmeter/billing/v1/staff_pb";
import { operator, owner, renderApp, stubRest, visitor } from "#/test/render-app";
import { account, open, press, rows, type } from "./admin-accounts.fixture";

describe("who may open it", () => {
  it.each(["owner", "manager"])("a %s gets the page for unknown addresses", async (role) => {
    const answers = { "GET /api/auth/user": { status: 200, body: { ...owner, role } } };
    const { requests } = await open([], {}, answers);
    await screen.findByRole("heading", { name: "Page not found" });
    expect(requests).toEqual([]);
  });

  it("an operator gets the operator dashboard, a visitor the landing page", async () => {
    const { requests } = await open(
      [],
      {},
      { "GET /api/auth/user": { status: 200, body: operator } },
    );
    await screen.findByRole("heading", { level: 1, name: "Equipment Updates" });
    expect(requests).toEqual([]);
    stubRest({ "GET /api/auth/user": visitor });
    await renderApp("/admin-accounts");
    await screen.findByRole("heading", { name: /Know which machine/ });
  });

  it("support staff come here from the start page, and have no other link", async () => {
    const { router } = await open([account(1)], {}, {}, "/");
    await screen.findByRole("heading", { level: 1, name: "Admin Accounts" });
    expect(router.state.location.pathname).toBe("/admin-accounts");
    const bar = screen.getByRole("navigation", { name: "Main navigation" });
    expect(within(bar).getAllByRole("link").length).toBe(1);
    expect(screen.queryByRole("button", { name: "More" })).toBeNull();
  });
});

describe("the accounts", () => {
  it("show plan, status, limit, expiry and never a password", async () => {
    await open([
      account(1),
      account(2, {
        limit: -1,
        override: -1,
        tier: Tier.ENTERPRISE,
        status: SubscriptionStatus.CANCELED,
        expiry: null,
        passwordSet: false,
      }),
      account(3, { met: false }),
    ]);
    const [first, second, third] = (await rows(3)).map((row) => row.textContent);
    expect(first).toContain("Business 1owner1@example.test");
    const texts = ["Basic", "Active", "3 of 15", "Renews Jan 5, 2027", "••••••", "Jan 5, 2026"];
    for (const text of texts) {
      expect(first).toContain(text);
    }
    expect(first).not.toContain("Set by support");
    for (const text of ["Enterprise", "Canceled", "3, no limit", "Set by support", "Not set"]) {
      expect(second).toContain(text);
    }
    expect(screen.queryByRole("button", { name: /password of Business 2/ })).toBeNull();
    expect(third).toContain("Not known yet");
    expect(screen.getByText("3 accounts")).toBeTruthy();
  });

  it("are searched on the server; the search is in the URL", async () => {
    const { requests, router } = await open([account(1), account(22)]);
    await rows(2);
    type("Search business name or email", "22");
    await rows(1);
    expect(requests.map(({ search }) => search)).toEqual(["", "22"]);
    expect(router.state.location.search).toEqual({ search: "22" });
    type("Search business name or email", "zzz");
    expect(await screen.findByText("No matches")).toBeTruthy();
    press("Clear filters");
    await rows(2);
  });

  it("are filtered by state on the server; the filter is in the URL", async () => {
    const { requests, stateRequests, router } = await open([
      account(1),
      account(2, { graceEnd: "2027-01-12T18:00:00Z" }),
      account(3, { status: SubscriptionStatus.PAUSED }),
    ]);
    await rows(3);
    const state = screen.getByLabelText("State");
    fireEvent.change(state, { target: { value: "pastDue" } });
    const [only] = await rows(1);
    expect(only?.textContent).toContain("Business 2");
    expect(only?.textContent).toContain("Past due");
    expect(only?.textContent).toContain("Access ends Jan 12, 2027");
    expect(router.state.location.search).toEqual({ state: "pastDue" });
    expect(stateRequests).toEqual([{ state: AccountState.PAST_DUE, limit: 100, cursor: "" }]);
    expect(requests.length).toBe(1);
    fireEvent.change(state, { target: { value: "expired" } });
    expect(await screen.findByText("No matches")).toBeTruthy();
    press("Clear filters");
    await rows(3);
  });

  it("are searched within a state beyond the first page of matches", async () => {
    const { requests } = await open(
      [
        ...Array.from({ length: 600 }, (_, index) => account(index)),
        account(600, { status: SubscriptionStatus.PAUSED }),
      ],
      {},
      {},
      "/admin-accounts?search=business&state=paused",
    );
    const [only] = await rows(1);
    expect(only?.textContent).toContain("Business 600");
    expect(requests).toEqual([
      { search: "business", limit: 500, cursor: "" },
      { search: "business", limit: 500, cursor: "500" },
    ]);
  });

  it("are listed without the equipment in use if it could not be counted", async () => {
    await open([account(1, { equipment: null })]);
    const [only] = await rows(1);
    expect(only?.textContent).toContain("15");
    expect(only?.textContent).not.toContain("of 15");
  });

  it("have an empty state", async () => {
    await open([]);
    expect(await screen.findByText("No accounts yet")).toBeTruthy();
  });

  it("show a failed request, with a retry", async () => {
    const { state, queryClient } = await open([account(1)]);
    await rows(1);
    state.failFrom = 0;
    await queryClient.invalidateQueries({ queryKey: ["admin-accounts"] });
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toContain("Failed to fetch accounts");
    expect(alert.textContent).toContain("No right to do this.");
    state.failFrom = Infinity;
    press("Try again");
    await waitFor(() => expect(screen.queryByRole("alert")).toBeNull());
  });

  it("load page by page while scrolling", async () => {
    let reach: () => void = () => undefined;
    vi.stubGlobal(
      "IntersectionObserver",
      class {
        constructor(callback: (entries: Array<{ isIntersecting: boolean }>) => void) {
          reach = () => callback([{ isIntersecting: true }]);
        }
        observe() {}
        disconnect() {}
      },
    );
    const { requests } = await open(Array.from({ length: 150 }, (_, index) => account(index)));
    expect(await screen.findByText(/^The newest 100 accounts/)).toBeTruthy();
    reach();
    expect(await screen.findByText("150 accounts")).toBeTruthy();
    expect(requests).toEqual([
      { search: "", limit: 100, cursor: "" },
      { search: "", limit: 100, cursor: "100" },
    ]);
  });
});
