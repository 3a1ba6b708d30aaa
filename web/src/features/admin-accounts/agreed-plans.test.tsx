import { Code } from "@connectrpc/connect";
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { SubscriptionStatus, Tier } from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { currentToast } from "#/shared/toast/store";
import { fieldRefusal, reauthRequired, refusal } from "#/test/refusal";
import type { stubRest } from "#/test/render-app";
import type { Account } from "./queries";
import {
  account,
  type Calls,
  open,
  press,
  reasonText,
  refuse,
  rows,
  type,
} from "./admin-accounts.fixture";

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
      expiry: null,
      trialEnd: "2027-02-05T18:00:00Z",
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
    const extendTrial = vi.fn<() => never>(refuse(refusal(Code.Internal)));
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
    [refuse(refusal(Code.FailedPrecondition, "SUBSCRIPTION_STATE")), /not in an unpaid trial/],
    [refuse(refusal(Code.NotFound)), /no subscription yet/],
    [refuse(refusal(Code.Internal, "", "The disk is full.")), /The disk is full/],
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
    const extendTrial = refuse(fieldRefusal("days", text));
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
      refuse(refusal(Code.FailedPrecondition, "SUBSCRIPTION_STATE")),
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
