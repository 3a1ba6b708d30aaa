import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { currentToast, toast } from "#/shared/toast/store";
import { operator, owner, renderApp, stubRest, visitor } from "#/test/render-app";
import { stubPages } from "#/test/stub-pages";
import type { Account } from "./queries";

const staff = {
  ...owner,
  id: "s1",
  companyId: null,
  role: "support",
  firstName: "Sam",
  lastName: "Ortiz",
  businessName: null,
};

const account = (index: number, more: Partial<Account> = {}): Account => ({
  id: `a${index}`,
  business_name: `Business ${index}`,
  email: `owner${index}@example.test`,
  subscription_tier: "basic",
  subscription_status: "active",
  equipment_limit: 15,
  equipment_limit_override: null,
  subscription_expiry: "2027-01-05T18:00:00Z",
  master_password: "********",
  created_at: "2026-01-05T18:00:00Z",
  ...more,
});

const reasonText = "Ticket 4711: cards were lost";
const secret = "Pa55 w0rd-of-the-crew";

async function open(
  accounts: Account[],
  answers: Parameters<typeof stubRest>[0] = {},
  path = "/admin-accounts",
) {
  const calls = stubRest({ "GET /api/auth/user": { status: 200, body: staff }, ...answers });
  const state = { failFrom: Infinity };
  const asked = stubPages("/api/admin/accounts", (query) => {
    const search = query.get("search")?.toLowerCase() ?? "";
    const found = accounts.filter((row) => row.business_name.toLowerCase().includes(search));
    const from = Number(query.get("cursor") ?? 0);
    const to = from + Number(query.get("limit"));
    if (from >= state.failFrom) return { status: 403, body: { message: "No right to do this." } };
    return { body: found.slice(from, to), ...(to < found.length ? { nextCursor: `${to}` } : {}) };
  });
  return { state, asked, calls, ...(await renderApp(path)) };
}

const rows = async (count: number) => {
  const table = await screen.findByRole("table", { name: "Admin Accounts" });
  const all = () => within(table).getAllByRole("row").slice(1);
  await waitFor(() => expect(all().length).toBe(count));
  return all();
};
const type = (label: string, value: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value } });
const press = (name: string) => fireEvent.click(screen.getByRole("button", { name }));

beforeEach(() => toast.dismiss());
afterEach(() => vi.useRealTimers());

describe("who may open it", () => {
  it.each(["owner", "manager"])("a %s gets the page for unknown addresses", async (role) => {
    const { asked } = await open([], {
      "GET /api/auth/user": { status: 200, body: { ...owner, role } },
    });
    await screen.findByRole("heading", { name: "Page not found" });
    expect(asked).toEqual([]);
  });

  it("an operator gets the operator dashboard, a visitor the landing page", async () => {
    const { asked } = await open([], { "GET /api/auth/user": { status: 200, body: operator } });
    await screen.findByRole("heading", { level: 1, name: "Equipment Updates" });
    expect(asked).toEqual([]);
    stubRest({ "GET /api/auth/user": visitor });
    await renderApp("/admin-accounts");
    await screen.findByRole("heading", { name: /Know which machine/ });
  });

  it("support staff come here from the start page, and have no other link", async () => {
    const { router } = await open([account(1)], {}, "/");
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
        equipment_limit: -1,
        equipment_limit_override: -1,
        subscription_tier: "enterprise",
        subscription_status: "canceled",
        subscription_expiry: null,
        master_password: null,
      }),
      account(3, { subscription_tier: null, subscription_status: null, equipment_limit: null }),
    ]);
    const [first, second, third] = (await rows(3)).map((row) => row.textContent);
    expect(first).toContain("Business 1owner1@example.test");
    for (const text of ["Basic", "Active", "15", "Jan 5, 2027", "••••••", "Jan 5, 2026"]) {
      expect(first).toContain(text);
    }
    expect(first).not.toContain("Set by support");
    for (const text of ["Enterprise", "Canceled", "∞", "Set by support", "No date", "Not set"]) {
      expect(second).toContain(text);
    }
    expect(screen.queryByRole("button", { name: /password of Business 2/ })).toBeNull();
    expect(third).toContain("Not known yet");
    expect(screen.getByText("3 accounts")).toBeTruthy();
  });

  it("are searched on the server, and the search stands in the address", async () => {
    const { asked, router } = await open([account(1), account(22)]);
    await rows(2);
    type("Search business name or email", "22");
    await rows(1);
    expect(asked).toEqual(["?limit=100", "?limit=100&search=22"]);
    expect(router.state.location.search).toEqual({ search: "22" });
    type("Search business name or email", "zzz");
    expect(await screen.findByText("Nothing matches")).toBeTruthy();
    press("Clear search");
    await rows(2);
  });

  it("say so while there are none", async () => {
    await open([]);
    expect(await screen.findByText("No accounts yet")).toBeTruthy();
  });

  it("say that they could not be fetched, with another try", async () => {
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

  it("come page by page as one scrolls", async () => {
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
    const { asked } = await open(Array.from({ length: 150 }, (_, index) => account(index)));
    expect(await screen.findByText(/^The newest 100 accounts/)).toBeTruthy();
    reach();
    expect(await screen.findByText("150 accounts")).toBeTruthy();
    expect(asked).toEqual(["?limit=100", "?limit=100&cursor=100"]);
  });
});

describe("Reveal", () => {
  const path = "POST /api/admin/accounts/a1/reveal-master-password";
  const begin = async (answer: Parameters<typeof stubRest>[0][string]) => {
    const page = await open([account(1)], { [path]: answer });
    await rows(1);
    press("Reveal the operator password of Business 1");
    return page;
  };

  it.each([
    ["", "Please give a reason of at least 10 characters."],
    [" 12345678 ", "Please give a reason of at least 10 characters."],
    ["😀".repeat(9), "Please give a reason of at least 10 characters."],
    ["12345678\u200B\u200B", "Please give a reason of at least 10 characters."],
    ["x".repeat(501), "The reason must be at most 500 characters."],
  ])("refuses the reason %j", async (reason, text) => {
    const { calls } = await begin({ status: 200, body: { masterPassword: secret } });
    type("Reason", reason);
    press("Reveal Password");
    expect(await screen.findByText(text)).toBeTruthy();
    expect(calls.some((call) => call.path.includes("reveal"))).toBe(false);
  });

  it("asks for the reason and the own password, shows it once, keeps it nowhere", async () => {
    let recent = false;
    const page = await open([account(1)], {
      [path]: () =>
        recent
          ? { status: 200, body: { masterPassword: secret } }
          : { status: 403, body: { message: "Confirm.", code: "REAUTH_REQUIRED" } },
      "POST /api/auth/reauth": () => {
        recent = true;
        return { status: 204 };
      },
    });
    await rows(1);
    press("Reveal the operator password of Business 1");
    expect(screen.getByText(/owner of the company sees in the audit log/)).toBeTruthy();
    type("Reason", `  ${reasonText} `);
    press("Reveal Password");
    const field = await screen.findByLabelText("Password");
    fireEvent.change(field, { target: { value: "own-password" } });
    press("Confirm");
    expect((await screen.findByText(secret)).textContent).toBe(secret);
    const sent = page.calls.filter((call) => call.path.includes("reveal")).map((call) => call.body);
    expect(sent).toEqual([{ reason: reasonText }, { reason: reasonText }]);
    const kept = JSON.stringify([
      page.queryClient
        .getQueryCache()
        .getAll()
        .map((query) => query.state),
      page.queryClient
        .getMutationCache()
        .getAll()
        .map((mutation) => mutation.state),
      [localStorage, sessionStorage].map((storage) => Object.entries(storage)),
    ]);
    expect(kept).not.toContain(secret);
    const [close] = screen.getAllByRole("button", { name: "Close" });
    if (close) fireEvent.click(close);
    await waitFor(() => expect(screen.queryByText(secret)).toBeNull());
  });

  it("hides itself after half a minute", async () => {
    await begin({ status: 200, body: { masterPassword: secret } });
    type("Reason", reasonText);
    vi.useFakeTimers({ shouldAdvanceTime: true });
    press("Reveal Password");
    await screen.findByText(secret);
    act(() => void vi.advanceTimersByTime(29_000));
    expect(screen.queryByText(secret)).not.toBeNull();
    act(() => void vi.advanceTimersByTime(1_500));
    await waitFor(() => expect(screen.queryByText(secret)).toBeNull());
    expect(screen.getByText("The password is hidden again.")).toBeTruthy();
  });

  it("hides itself when the page goes out of sight", async () => {
    await begin({ status: 200, body: { masterPassword: secret } });
    type("Reason", reasonText);
    press("Reveal Password");
    await screen.findByText(secret);
    vi.spyOn(document, "visibilityState", "get").mockReturnValue("hidden");
    fireEvent(document, new Event("visibilitychange"));
    await waitFor(() => expect(screen.queryByText(secret)).toBeNull());
  });

  it("explains that ten a day are the most, and keeps what was typed", async () => {
    await begin({ status: 429, body: { message: "Too many." } });
    type("Reason", reasonText);
    press("Reveal Password");
    expect((await screen.findByRole("alert")).textContent).toContain(
      "You have revealed 10 operator passwords within 24 hours",
    );
    expect(screen.getByLabelText("Reason")).toHaveProperty("value", reasonText);
  });

  it("tells when there is none", async () => {
    await begin({ status: 200, body: { masterPassword: null } });
    type("Reason", reasonText);
    press("Reveal Password");
    expect(await screen.findByText("This company has not set an operator password.")).toBeTruthy();
  });

  it("tells when the account is gone", async () => {
    await begin({ status: 404, body: { message: "Not found." } });
    type("Reason", reasonText);
    press("Reveal Password");
    expect((await screen.findByRole("alert")).textContent).toContain("no longer exists");
  });

  it("is left in peace when the own password is not given", async () => {
    await begin({ status: 403, body: { message: "Confirm.", code: "REAUTH_REQUIRED" } });
    type("Reason", reasonText);
    press("Reveal Password");
    await screen.findByLabelText("Password");
    press("Cancel");
    await waitFor(() => expect(screen.queryByLabelText("Password")).toBeNull());
    expect(screen.queryByRole("alert")).toBeNull();
    expect(screen.getByLabelText("Reason")).toHaveProperty("value", reasonText);
  });
});

describe("the equipment limit", () => {
  const path = "POST /api/admin/accounts/a1/equipment-limit";
  const begin = async (row: Account, answer?: Parameters<typeof stubRest>[0][string]) => {
    const page = await open([row, account(2)], {
      [path]:
        answer ??
        ((call) => {
          const { equipmentLimit } = Object(call.body);
          return {
            status: 200,
            body: {
              ...row,
              equipment_limit: equipmentLimit ?? 15,
              equipment_limit_override: equipmentLimit,
            },
          };
        }),
    });
    await rows(2);
    press("Change the equipment limit of Business 1");
    return page;
  };

  it.each([
    ["A number", "1,200", 1200, "1,200", "Business 1 may now track 1,200 pieces of equipment."],
    ["A number", "0", 0, "0", "Business 1 may now track 0 pieces of equipment."],
    ["A number", "1000000", 1_000_000, "1,000,000", /1,000,000 pieces/],
    ["No limit", "", -1, "∞", "Business 1 may now track any number of pieces of equipment."],
  ])("%s %s", async (kind, count, sent, shown, done) => {
    const { calls, asked } = await begin(account(1));
    fireEvent.click(screen.getByLabelText(kind));
    if (count) type("Pieces of equipment", count);
    type("Reason", reasonText);
    press("Save Limit");
    await waitFor(() => expect(currentToast()?.title).toBe("Equipment Limit Updated"));
    expect(currentToast()?.description).toMatch(done);
    const call = calls.find(({ path }) => path.endsWith("equipment-limit"));
    expect(call?.body).toEqual({ equipmentLimit: sent, reason: reasonText });
    const [first] = await rows(2);
    expect(first?.textContent).toContain(shown);
    expect(first?.textContent).toContain("Set by support");
    // The row was put in its place, the list was not fetched again.
    expect(asked.length).toBe(1);
  });

  it("goes back to the plan's own", async () => {
    const row = account(1, { equipment_limit: 120, equipment_limit_override: 120 });
    const { calls } = await begin(row);
    expect(screen.getByLabelText("Pieces of equipment")).toHaveProperty("value", "120");
    fireEvent.click(screen.getByLabelText("Plan's limit"));
    type("Reason", reasonText);
    press("Save Limit");
    await waitFor(() => expect(currentToast()?.title).toBe("Equipment Limit Updated"));
    expect(calls.find(({ path }) => path.endsWith("equipment-limit"))?.body).toEqual({
      equipmentLimit: null,
      reason: reasonText,
    });
    const [first] = await rows(2);
    expect(first?.textContent).not.toContain("Set by support");
  });

  it.each(["", "-1", "1.5", "1000001", "12a", "1,2", "٣"])(
    "refuses the number %j",
    async (count) => {
      const { calls } = await begin(account(1));
      fireEvent.click(screen.getByLabelText("A number"));
      type("Pieces of equipment", count);
      type("Reason", reasonText);
      press("Save Limit");
      expect(
        await screen.findByText("Please enter a whole number from 0 to 1,000,000."),
      ).toBeTruthy();
      expect(calls.some(({ path }) => path.endsWith("equipment-limit"))).toBe(false);
    },
  );

  it("asks for a reason, and shows refusals by the field and in the dialog", async () => {
    await begin(account(1), {
      status: 400,
      body: {
        message: "Not allowed.",
        fields: { reason: "Contains characters that are not allowed." },
      },
    });
    press("Save Limit");
    expect(await screen.findByText("Please give a reason of at least 10 characters.")).toBeTruthy();
    type("Reason", reasonText);
    press("Save Limit");
    expect(await screen.findByText("Contains characters that are not allowed.")).toBeTruthy();
    expect(currentToast()).toBeNull();
  });

  it("explains an account without a subscription", async () => {
    await begin(account(1), { status: 404, body: { message: "Not found." } });
    type("Reason", reasonText);
    press("Save Limit");
    expect((await screen.findByRole("alert")).textContent).toContain("no subscription yet");
  });
});

describe("what support agrees on with a company", () => {
  const choose = async (row: Account, item: string, answers: Parameters<typeof stubRest>[0]) => {
    const page = await open([row, account(2)], answers);
    await rows(2);
    const menu = screen.getByRole("button", { name: "Actions for Business 1" });
    fireEvent.keyDown(menu, { key: "Enter" });
    fireEvent.click(await screen.findByRole("menuitem", { name: item }));
    return page;
  };
  const trial = account(1, { subscription_status: "trial" });
  const trialPath = "POST /api/admin/accounts/a1/extend-trial";
  const planPath = "POST /api/admin/accounts/a1/plan";
  const sent = (calls: Awaited<ReturnType<typeof open>>["calls"], end: string) =>
    calls.filter((call) => call.path.endsWith(end)).map((call) => call.body);

  it("a longer trial, with the own password", async () => {
    let recent = false;
    const changed = account(1, {
      subscription_status: "trial",
      subscription_expiry: "2027-02-05T18:00:00Z",
    });
    const { calls, asked } = await choose(trial, "Extend Trial", {
      [trialPath]: () =>
        recent
          ? { status: 200, body: changed }
          : { status: 403, body: { message: "Confirm.", code: "REAUTH_REQUIRED" } },
      "POST /api/auth/reauth": () => {
        recent = true;
        return { status: 204 };
      },
    });
    expect(screen.getByText("1 to 365 days")).toBeTruthy();
    type("Days from today", "30");
    expect(await screen.findByText(/^The trial ends on \w+ \d+, \d{4}\.$/)).toBeTruthy();
    type("Reason", `  ${reasonText} `);
    press("Extend Trial");
    fireEvent.change(await screen.findByLabelText("Password"), { target: { value: "own" } });
    press("Confirm");
    await waitFor(() => expect(currentToast()?.title).toBe("Trial Extended"));
    expect(currentToast()?.description).toBe("The trial of Business 1 runs until Feb 5, 2027.");
    expect(sent(calls, "extend-trial")).toEqual([
      { days: 30, reason: reasonText },
      { days: 30, reason: reasonText },
    ]);
    expect((await rows(2))[0]?.textContent).toContain("Feb 5, 2027");
    expect(asked.length).toBe(1);
  });

  it.each(["", "0", "366", "1.5", "-3", "ten"])("refuses %j days of trial", async (days) => {
    const { calls } = await choose(trial, "Extend Trial", {});
    type("Days from today", days);
    press("Extend Trial");
    expect(
      await screen.findByText("Please enter a whole number of days from 1 to 365."),
    ).toBeTruthy();
    expect(screen.getByText("Please give a reason of at least 10 characters.")).toBeTruthy();
    expect(sent(calls, "extend-trial")).toEqual([]);
  });

  it.each([
    [{ status: 409, body: { message: "No.", code: "SUBSCRIPTION_STATE" } }, /not in a trial/],
    [{ status: 404, body: { message: "Not found." } }, /no subscription yet/],
    [{ status: 500, body: { message: "The disk is full." } }, /The disk is full/],
  ])("explains a refusal and keeps what was typed: %#", async (answer, text) => {
    await choose(trial, "Extend Trial", { [trialPath]: answer });
    type("Days from today", "12");
    type("Reason", reasonText);
    press("Extend Trial");
    expect((await screen.findByRole("alert")).textContent).toMatch(text);
    expect(screen.getByLabelText("Days from today")).toHaveProperty("value", "12");
    expect(screen.getByLabelText("Reason")).toHaveProperty("value", reasonText);
    expect(currentToast()).toBeNull();
  });

  it("shows the server's refusal of the days by the field", async () => {
    await choose(trial, "Extend Trial", {
      [trialPath]: {
        status: 400,
        body: { message: "No.", fields: { days: "The trial runs longer than that already." } },
      },
    });
    type("Days from today", "1");
    type("Reason", reasonText);
    press("Extend Trial");
    expect(await screen.findByText("The trial runs longer than that already.")).toBeTruthy();
  });

  it("a trial that was paid can't be extended, and the menu says why", async () => {
    await open([account(1), account(2)]);
    await rows(2);
    fireEvent.keyDown(screen.getByRole("button", { name: "Actions for Business 1" }), {
      key: "Enter",
    });
    const item = await screen.findByRole("menuitem", { name: /Extend Trial/ });
    expect(item.getAttribute("aria-disabled")).toBe("true");
    expect(item.textContent).toContain("Only a trial that was never paid");
  });

  it("a plan without a checkout", async () => {
    const changed = account(1, {
      subscription_tier: "enterprise",
      subscription_expiry: "2036-11-28T18:00:00Z",
    });
    const { calls } = await choose(trial, "Set Plan", {
      [planPath]: { status: 200, body: changed },
    });
    fireEvent.click(screen.getByLabelText("Enterprise"));
    type("Days from today", "3,660");
    type("Reason", reasonText);
    press("Set Plan");
    await waitFor(() => expect(currentToast()?.title).toBe("Plan Set"));
    expect(currentToast()?.description).toBe(
      "Business 1 has the Enterprise plan until Nov 28, 2036.",
    );
    expect(sent(calls, "/plan")).toEqual([{ tier: "enterprise", days: 3660, reason: reasonText }]);
    expect((await rows(2))[0]?.textContent).toContain("Enterprise");
  });

  it("no plan for whoever pays through the provider", async () => {
    const { calls } = await choose(account(1), "Set Plan", {
      [planPath]: { status: 409, body: { message: "No.", code: "SUBSCRIPTION_STATE" } },
    });
    type("Days from today", "3661");
    type("Reason", reasonText);
    press("Set Plan");
    expect(
      await screen.findByText("Please enter a whole number of days from 1 to 3,660."),
    ).toBeTruthy();
    expect(sent(calls, "/plan")).toEqual([]);
    type("Days from today", "30");
    press("Set Plan");
    expect((await screen.findByRole("alert")).textContent).toContain(
      "pays through the payment provider",
    );
    expect(screen.getByLabelText("Days from today")).toHaveProperty("value", "30");
  });
});
