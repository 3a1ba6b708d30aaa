import { create } from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createRouterTransport, type ServiceImpl } from "@connectrpc/connect";
import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { AccountSchema, AccountsService } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import {
  AccountSubscriptionSchema,
  BillingService,
  SubscriptionStatus,
  Tier,
} from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { currentToast, toast } from "#/shared/toast/store";
import { reauthRequired } from "#/test/reauth-required";
import { operator, owner, renderApp, stubRest, visitor } from "#/test/render-app";
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

interface Wanted {
  tier?: Tier;
  status?: SubscriptionStatus;
  limit?: number;
  override?: number | undefined;
  expiry?: string | null;
  passwordSet?: boolean;
  /** False: billing does not know the company. */
  met?: boolean;
}

const day = (at: string) => timestampFromDate(new Date(at));

function account(index: number, wanted: Wanted = {}): Account {
  const { tier = Tier.BASIC, status = SubscriptionStatus.ACTIVE, limit = 15, override } = wanted;
  const { expiry = "2027-01-05T18:00:00Z", passwordSet = true, met = true } = wanted;
  const id = `a${index}`;
  const billed = create(AccountSubscriptionSchema, {
    companyId: id,
    subscription: {
      entitlements: { tier, status, equipmentLimit: limit },
      ...(expiry === null ? {} : { currentPeriodEnd: day(expiry) }),
    },
    equipmentLimitOverride: override,
  });
  const company = create(AccountSchema, {
    id,
    businessName: `Business ${index}`,
    email: `owner${index}@example.test`,
    operatorPasswordSet: passwordSet,
    createdAt: day("2026-01-05T18:00:00Z"),
  });
  return { id, company, billed: met ? billed : undefined };
}

const reasonText = "Ticket 4711: cards were lost";
const secret = "Pa55 w0rd-of-the-crew";

type Calls = Partial<
  Pick<ServiceImpl<typeof BillingService>, "setEquipmentLimit" | "extendTrial" | "setPlan"> &
    Pick<ServiceImpl<typeof AccountsService>, "revealAccountOperatorPassword">
>;

/** A refusal with google.rpc.ErrorInfo or one google.rpc.FieldViolation. */
function refusal(code: Code, detail: { reason?: string; field?: string } = {}, message = "No.") {
  const error = new ConnectError(message, code);
  const text = (no: number, value: string) =>
    new BinaryWriter().tag(no, WireType.LengthDelimited).string(value).finish();
  if (detail.reason) {
    error.details.push({ type: "google.rpc.ErrorInfo", value: text(1, detail.reason) });
  }
  if (detail.field) {
    const violation = new BinaryWriter().raw(text(1, detail.field)).raw(text(2, message)).finish();
    const value = new BinaryWriter().tag(1, WireType.LengthDelimited).bytes(violation).finish();
    error.details.push({ type: "google.rpc.BadRequest", value });
  }
  return error;
}

const refuse =
  (...why: Parameters<typeof refusal>) =>
  () => {
    throw refusal(...why);
  };

async function open(
  accounts: Account[],
  calls: Calls = {},
  answers: Parameters<typeof stubRest>[0] = {},
  path = "/admin-accounts",
) {
  stubRest({ "GET /api/auth/user": { status: 200, body: staff }, ...answers });
  const state = { failFrom: Infinity };
  const requests: Array<{ search: string; limit: number | undefined; cursor: string | undefined }> =
    [];
  const { revealAccountOperatorPassword, ...billing } = calls;
  const transport = createRouterTransport(({ service }) => {
    service(AccountsService, {
      listAccounts: ({ search, page }) => {
        requests.push({ search, limit: page?.limit, cursor: page?.cursor });
        const found = accounts.filter(({ company }) =>
          company.businessName.toLowerCase().includes(search.toLowerCase()),
        );
        const from = Number(page?.cursor ?? 0);
        const to = from + Number(page?.limit);
        if (from >= state.failFrom)
          throw refusal(Code.PermissionDenied, {}, "No right to do this.");
        return {
          accounts: found.slice(from, to).map(({ company }) => company),
          page: { nextCursor: to < found.length ? String(to) : "" },
        };
      },
      ...(revealAccountOperatorPassword && { revealAccountOperatorPassword }),
    });
    service(BillingService, {
      listSubscriptions: ({ companyIds }) => ({
        subscriptions: accounts.flatMap(({ id, billed }) =>
          billed && companyIds.includes(id) ? [billed] : [],
        ),
      }),
      ...billing,
    });
  });
  return { state, requests, ...(await renderApp(path, transport)) };
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

  it("are searched on the server; the search is in the URL", async () => {
    const { requests, router } = await open([account(1), account(22)]);
    await rows(2);
    type("Search business name or email", "22");
    await rows(1);
    expect(requests.map(({ search }) => search)).toEqual(["", "22"]);
    expect(router.state.location.search).toEqual({ search: "22" });
    type("Search business name or email", "zzz");
    expect(await screen.findByText("No matches")).toBeTruthy();
    press("Clear search");
    await rows(2);
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

describe("Reveal", () => {
  const begin = async (
    revealAccountOperatorPassword: NonNullable<Calls["revealAccountOperatorPassword"]>,
  ) => {
    const page = await open([account(1)], { revealAccountOperatorPassword });
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
    const reveal = vi.fn<() => { operatorPassword: string }>(() => ({ operatorPassword: secret }));
    await begin(reveal);
    type("Reason", reason);
    press("Reveal password");
    expect(await screen.findByText(text)).toBeTruthy();
    expect(reveal).not.toHaveBeenCalled();
  });

  it("asks for a reason and the own password, shows it once, stores it nowhere", async () => {
    let recent = false;
    const sent: string[] = [];
    const reveal: Calls["revealAccountOperatorPassword"] = ({ reason }) => {
      sent.push(reason);
      if (!recent) throw reauthRequired();
      return { operatorPassword: secret };
    };
    const confirmed = () => {
      recent = true;
      return { status: 204 };
    };
    const page = await open(
      [account(1)],
      { revealAccountOperatorPassword: reveal },
      { "POST /api/auth/reauth": confirmed },
    );
    await rows(1);
    press("Reveal the operator password of Business 1");
    expect(screen.getByText(/owner sees in the audit log who revealed it/)).toBeTruthy();
    type("Reason", `  ${reasonText} `);
    press("Reveal password");
    const field = await screen.findByLabelText("Password");
    fireEvent.change(field, { target: { value: "own-password" } });
    press("Confirm");
    expect((await screen.findByText(secret)).textContent).toBe(secret);
    expect(sent).toEqual([reasonText, reasonText]);
    const kept = [
      page.queryClient
        .getQueryCache()
        .getAll()
        .map((query) => query.state),
      page.queryClient
        .getMutationCache()
        .getAll()
        .map((mutation) => mutation.state),
      [localStorage, sessionStorage].map((storage) => Object.entries(storage)),
    ];
    // JSON can't represent a timestamp's bigint.
    const text = JSON.stringify(kept, (_, value: unknown) =>
      typeof value === "bigint" ? String(value) : value,
    );
    expect(text).not.toContain(secret);
    const [close] = screen.getAllByRole("button", { name: "Close" });
    if (close) fireEvent.click(close);
    await waitFor(() => expect(screen.queryByText(secret)).toBeNull());
  });

  it("hides itself after half a minute", async () => {
    await begin(() => ({ operatorPassword: secret }));
    type("Reason", reasonText);
    vi.useFakeTimers({ shouldAdvanceTime: true });
    press("Reveal password");
    await screen.findByText(secret);
    act(() => void vi.advanceTimersByTime(29_000));
    expect(screen.queryByText(secret)).not.toBeNull();
    act(() => void vi.advanceTimersByTime(1_500));
    await waitFor(() => expect(screen.queryByText(secret)).toBeNull());
    expect(screen.getByText("The password is hidden again.")).toBeTruthy();
  });

  it("hides itself when the page is hidden", async () => {
    await begin(() => ({ operatorPassword: secret }));
    type("Reason", reasonText);
    press("Reveal password");
    await screen.findByText(secret);
    vi.spyOn(document, "visibilityState", "get").mockReturnValue("hidden");
    fireEvent(document, new Event("visibilitychange"));
    await waitFor(() => expect(screen.queryByText(secret)).toBeNull());
  });

  it("explains the limit of ten a day, and keeps typed values", async () => {
    await begin(refuse(Code.ResourceExhausted));
    type("Reason", reasonText);
    press("Reveal password");
    expect((await screen.findByRole("alert")).textContent).toContain(
      "You have revealed 10 operator passwords in the last 24 hours",
    );
    expect(screen.getByLabelText("Reason")).toHaveProperty("value", reasonText);
  });

  it("shows if there is none", async () => {
    await begin(refuse(Code.FailedPrecondition, { reason: "OPERATOR_PASSWORD_NOT_SET" }));
    type("Reason", reasonText);
    press("Reveal password");
    expect(await screen.findByText("This company has not set an operator password.")).toBeTruthy();
  });

  it("shows if the account no longer exists", async () => {
    await begin(refuse(Code.NotFound));
    type("Reason", reasonText);
    press("Reveal password");
    expect((await screen.findByRole("alert")).textContent).toContain("no longer exists");
  });

  it("stays hidden if the own password is not given", async () => {
    await begin(refuse(Code.PermissionDenied, { reason: "REAUTH_REQUIRED" }));
    type("Reason", reasonText);
    press("Reveal password");
    await screen.findByLabelText("Password");
    press("Cancel");
    await waitFor(() => expect(screen.queryByLabelText("Password")).toBeNull());
    expect(screen.queryByRole("alert")).toBeNull();
    expect(screen.getByLabelText("Reason")).toHaveProperty("value", reasonText);
  });
});

describe("the equipment limit", () => {
  const begin = async (row: Account, answer?: Calls["setEquipmentLimit"]) => {
    const sent: Array<{ equipmentLimit?: number | undefined; reason: string }> = [];
    const page = await open([row, account(2)], {
      setEquipmentLimit:
        answer ??
        (({ equipmentLimit, reason }) => {
          sent.push({ equipmentLimit, reason });
          const changed = account(1, { limit: equipmentLimit ?? 15, override: equipmentLimit });
          return { subscription: changed.billed };
        }),
    });
    await rows(2);
    press("Change the equipment limit of Business 1");
    return { ...page, sent };
  };

  it.each([
    ["A number", "1,200", 1200, "1,200", "Business 1 can now track 1,200 pieces of equipment."],
    ["A number", "0", 0, "0", "Business 1 can now track 0 pieces of equipment."],
    ["A number", "1000000", 1_000_000, "1,000,000", /1,000,000 pieces/],
    ["No limit", "", -1, "∞", "Business 1 can now track any number of pieces of equipment."],
  ])("%s %s", async (kind, count, limit, shown, done) => {
    const { sent, requests } = await begin(account(1));
    fireEvent.click(screen.getByLabelText(kind));
    if (count) type("Pieces of equipment", count);
    type("Reason", reasonText);
    press("Save limit");
    await waitFor(() => expect(currentToast()?.title).toBe("Equipment limit updated"));
    expect(currentToast()?.description).toMatch(done);
    expect(sent).toEqual([{ equipmentLimit: limit, reason: reasonText }]);
    const [first] = await rows(2);
    expect(first?.textContent).toContain(shown);
    expect(first?.textContent).toContain("Set by support");
    // The row was updated without a refetch of the list.
    expect(requests.length).toBe(1);
  });

  it("is reset to the plan's own", async () => {
    const { sent } = await begin(account(1, { limit: 120, override: 120 }));
    expect(screen.getByLabelText("Pieces of equipment")).toHaveProperty("value", "120");
    fireEvent.click(screen.getByLabelText("Plan's limit"));
    type("Reason", reasonText);
    press("Save limit");
    await waitFor(() => expect(currentToast()?.title).toBe("Equipment limit updated"));
    expect(sent).toEqual([{ equipmentLimit: undefined, reason: reasonText }]);
    const [first] = await rows(2);
    expect(first?.textContent).not.toContain("Set by support");
  });

  it.each(["", "-1", "1.5", "1000001", "12a", "1,2", "٣"])(
    "refuses the number %j",
    async (count) => {
      const { sent } = await begin(account(1));
      fireEvent.click(screen.getByLabelText("A number"));
      type("Pieces of equipment", count);
      type("Reason", reasonText);
      press("Save limit");
      expect(
        await screen.findByText("Please enter a whole number from 0 to 1,000,000."),
      ).toBeTruthy();
      expect(sent).toEqual([]);
    },
  );

  it("asks for a reason, and shows refusals by the field and in the dialog", async () => {
    const text = "Contains characters that are not allowed.";
    await begin(account(1), refuse(Code.InvalidArgument, { field: "reason" }, text));
    press("Save limit");
    expect(await screen.findByText("Please give a reason of at least 10 characters.")).toBeTruthy();
    type("Reason", reasonText);
    press("Save limit");
    expect((await screen.findAllByText(text)).length).toBeGreaterThan(0);
    expect(currentToast()).toBeNull();
  });

  it("explains an account without a subscription", async () => {
    await begin(account(1), refuse(Code.NotFound));
    type("Reason", reasonText);
    press("Save limit");
    expect((await screen.findByRole("alert")).textContent).toContain("no subscription yet");
  });
});

describe("plans agreed with support", () => {
  const choose = async (
    row: Account,
    item: string,
    calls: Calls,
    answers: Parameters<typeof stubRest>[0] = {},
  ) => {
    const page = await open([row, account(2)], calls, answers);
    await rows(2);
    const menu = screen.getByRole("button", { name: "Actions for Business 1" });
    fireEvent.keyDown(menu, { key: "Enter" });
    fireEvent.click(await screen.findByRole("menuitem", { name: item }));
    return page;
  };
  const trial = account(1, { status: SubscriptionStatus.TRIAL });

  it("a longer trial, with the own password", async () => {
    let recent = false;
    const changed = account(1, {
      status: SubscriptionStatus.TRIAL,
      expiry: "2027-02-05T18:00:00Z",
    });
    const sent: object[] = [];
    const extendTrial: Calls["extendTrial"] = ({ companyId, days, reason }) => {
      sent.push({ companyId, days, reason });
      if (!recent) throw reauthRequired();
      return { subscription: changed.billed };
    };
    const confirmed = () => {
      recent = true;
      return { status: 204 };
    };
    const answers = { "POST /api/auth/reauth": confirmed };
    const { requests } = await choose(trial, "Extend trial", { extendTrial }, answers);
    expect(screen.getByText("1 to 365 days")).toBeTruthy();
    type("Days from today", "30");
    expect(await screen.findByText(/^The trial ends on \w+ \d+, \d{4}\.$/)).toBeTruthy();
    type("Reason", `  ${reasonText} `);
    press("Extend trial");
    fireEvent.change(await screen.findByLabelText("Password"), { target: { value: "own" } });
    press("Confirm");
    await waitFor(() => expect(currentToast()?.title).toBe("Trial extended"));
    expect(currentToast()?.description).toBe("The trial of Business 1 runs until Feb 5, 2027.");
    const request = { companyId: "a1", days: 30, reason: reasonText };
    expect(sent).toEqual([request, request]);
    expect((await rows(2))[0]?.textContent).toContain("Feb 5, 2027");
    expect(requests.length).toBe(1);
  });

  it.each(["", "0", "366", "1.5", "-3", "ten"])("refuses %j days of trial", async (days) => {
    const extendTrial = vi.fn<() => never>(refuse(Code.Internal));
    await choose(trial, "Extend trial", { extendTrial });
    type("Days from today", days);
    press("Extend trial");
    expect(
      await screen.findByText("Please enter a whole number of days from 1 to 365."),
    ).toBeTruthy();
    expect(screen.getByText("Please give a reason of at least 10 characters.")).toBeTruthy();
    expect(extendTrial).not.toHaveBeenCalled();
  });

  it.each([
    [refuse(Code.FailedPrecondition, { reason: "SUBSCRIPTION_STATE" }), /not in an unpaid trial/],
    [refuse(Code.NotFound), /no subscription yet/],
    [refuse(Code.Internal, {}, "The disk is full."), /The disk is full/],
  ])("explains a refusal and keeps typed values: %#", async (extendTrial, text) => {
    await choose(trial, "Extend trial", { extendTrial });
    type("Days from today", "12");
    type("Reason", reasonText);
    press("Extend trial");
    expect((await screen.findByRole("alert")).textContent).toMatch(text);
    expect(screen.getByLabelText("Days from today")).toHaveProperty("value", "12");
    expect(screen.getByLabelText("Reason")).toHaveProperty("value", reasonText);
    expect(currentToast()).toBeNull();
  });

  it("shows the server's refusal of the days by the field", async () => {
    const text = "The trial already runs longer than that.";
    const extendTrial = refuse(Code.InvalidArgument, { field: "days" }, text);
    await choose(trial, "Extend trial", { extendTrial });
    type("Days from today", "1");
    type("Reason", reasonText);
    press("Extend trial");
    expect((await screen.findAllByText(text)).length).toBeGreaterThan(0);
  });

  it("a trial that was paid can't be extended, and the menu says why", async () => {
    await open([account(1), account(2)]);
    await rows(2);
    fireEvent.keyDown(screen.getByRole("button", { name: "Actions for Business 1" }), {
      key: "Enter",
    });
    const item = await screen.findByRole("menuitem", { name: /Extend trial/ });
    expect(item.getAttribute("aria-disabled")).toBe("true");
    expect(item.textContent).toContain("Only a trial that was never paid");
  });

  it("a plan without a checkout", async () => {
    const changed = account(1, { tier: Tier.ENTERPRISE, expiry: "2036-11-28T18:00:00Z" });
    const sent: object[] = [];
    await choose(trial, "Set plan", {
      setPlan: ({ companyId, tier, days, reason }) => {
        sent.push({ companyId, tier, days, reason });
        return { subscription: changed.billed };
      },
    });
    fireEvent.click(screen.getByLabelText("Enterprise"));
    type("Days from today", "3,660");
    type("Reason", reasonText);
    press("Set plan");
    await waitFor(() => expect(currentToast()?.title).toBe("Plan set"));
    expect(currentToast()?.description).toBe(
      "Business 1 has the Enterprise plan until Nov 28, 2036.",
    );
    const request = { companyId: "a1", tier: Tier.ENTERPRISE, days: 3660, reason: reasonText };
    expect(sent).toEqual([request]);
    expect((await rows(2))[0]?.textContent).toContain("Enterprise");
  });

  it("no plan for a company that pays through the provider", async () => {
    const setPlan = vi.fn<() => never>(
      refuse(Code.FailedPrecondition, { reason: "SUBSCRIPTION_STATE" }),
    );
    await choose(account(1), "Set plan", { setPlan });
    type("Days from today", "3661");
    type("Reason", reasonText);
    press("Set plan");
    expect(
      await screen.findByText("Please enter a whole number of days from 1 to 3,660."),
    ).toBeTruthy();
    expect(setPlan).not.toHaveBeenCalled();
    type("Days from today", "30");
    press("Set plan");
    expect((await screen.findByRole("alert")).textContent).toContain(
      "pays through the payment provider",
    );
    expect(screen.getByLabelText("Days from today")).toHaveProperty("value", "30");
  });
});
