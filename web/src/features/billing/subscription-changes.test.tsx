import { Code, ConnectError } from "@connectrpc/connect";
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import {
  BillingInterval,
  Tier,
  type Subscription,
} from "#/api/gen/hourmeter/billing/v1/billing_pb";
import {
  aCanceled,
  aGrace,
  anActive,
  anAgreed,
  anExpired,
  aPaused,
  aTrial,
  on,
} from "#/test/subscription";
import { changeLanguage } from "#/i18n";
import { refusal } from "#/test/refusal";
import {
  card,
  confirm,
  dialog,
  expectToast,
  failing,
  open,
  press,
  type State,
} from "./subscription-page.fixture";

describe("changing the plan", () => {
  const changed = (seen: unknown[]) => ({
    billing: (state: State) => ({
      changePlan: (request: { tier: Tier; interval: BillingInterval }) => {
        seen.push([request.tier, request.interval]);
        state.subscription = anActive({ tier: request.tier });
        return { subscription: state.subscription };
      },
    }),
  });

  it("shows the cost of an upgrade, and upgrades once", async () => {
    const seen: unknown[] = [];
    await open(anActive(), changed(seen));
    await press("Upgrade to Enterprise");
    const question = await dialog("Upgrade to Enterprise?");
    expect(question.getByText("New price: $100 a month.")).toBeTruthy();
    expect(question.getByText(/^Today your card is charged only the difference/)).toBeTruthy();
    const confirm = question.getByRole("button", { name: "Upgrade now" });
    fireEvent.click(confirm);
    fireEvent.click(confirm);
    await expectToast("Plan changed", "Enterprise, $100 a month.");
    expect(seen).toEqual([[Tier.ENTERPRISE, BillingInterval.MONTH]]);
    expect(screen.queryByRole("alertdialog")).toBeNull();
    expect(await (await card("Enterprise")).findByText("Your plan")).toBeTruthy();
  });

  it("charges nothing before the end of the trial", async () => {
    await open(anActive({ trialEnd: on(2026, 12, 14) }), changed([]));
    expect(await screen.findByText(/^Active\. The first charge is on Dec 14, 2026/)).toBeTruthy();
    await press("Upgrade to Enterprise");
    const question = await dialog("Upgrade to Enterprise?");
    const text = "Nothing is charged before Dec 14, 2026, the first charge.";
    expect(question.getByText(text)).toBeTruthy();
  });

  it("warns about a plan that is too small, and about features that close", async () => {
    await open(anActive(), { ...changed([]), total: 22 });
    const text = /^You have 22 pieces of equipment, and this plan is for 15/;
    expect(await (await card("Basic")).findByText(text)).toBeTruthy();
    await press("Downgrade to Basic");
    const question = await dialog("Downgrade to Basic?");
    expect(question.getByText(text)).toBeTruthy();
    expect(
      question.getByText("Fuel analytics and parts entry close. Data already entered is kept."),
    ).toBeTruthy();
    expect(question.getByText(/^Nothing is charged today/)).toBeTruthy();
    fireEvent.click(question.getByRole("button", { name: "Cancel" }));
    expect(screen.queryByRole("alertdialog")).toBeNull();
  });

  it("a limit below that of the plan does not count", async () => {
    await open(anActive({ tier: Tier.BASIC, limit: 20 }), { total: 22 });
    await press("Upgrade to Professional");
    const question = await dialog("Upgrade to Professional?");
    expect(question.getByText("Up to 30 pieces of equipment")).toBeTruthy();
  });

  it("does not warn while a limit was agreed with the company", async () => {
    await open(anActive({ limit: 200 }), { total: 22 });
    await press("Downgrade to Basic");
    const question = await dialog("Downgrade to Basic?");
    expect(question.getByText("Up to 200 pieces of equipment")).toBeTruthy();
    expect(question.queryByText(/^You have 22/)).toBeNull();
  });

  it.each([
    [
      "month",
      "Yearly",
      "Switch to yearly",
      "Switch to yearly billing?",
      /\$550\.80 is charged, minus/,
    ],
    [
      "year",
      "Monthly",
      "Switch to monthly",
      "Switch to monthly billing?",
      /^A new month begins today/,
    ],
  ])("from paying by the %s", async (billingInterval, radio, button, title, text) => {
    await open(anActive({ billingInterval }));
    await screen.findByRole("button", { name: "Pause" });
    fireEvent.click(screen.getByRole("radio", { name: radio }));
    await press(button);
    expect((await dialog(title)).getByText(text)).toBeTruthy();
  });

  it("stays open when the provider is down", async () => {
    await open(anActive(), failing("changePlan", refusal(Code.Unavailable, "PAYMENT_PROVIDER")));
    await press("Upgrade to Enterprise");
    await confirm("Upgrade to Enterprise?", "Upgrade now");
    await expectToast(
      "Update Failed",
      "The payment provider is not available right now. Please try again.",
    );
    expect(
      (await dialog("Upgrade to Enterprise?")).getByRole("button", { name: "Upgrade now" }),
    ).toBeTruthy();
  });

  it("closes and shows the current state when someone else was faster", async () => {
    await open(anActive(), {
      billing: (state) => ({
        changePlan: () => {
          state.subscription = aPaused();
          throw refusal(Code.FailedPrecondition, "SUBSCRIPTION_STATE", "Paused.");
        },
      }),
    });
    await press("Upgrade to Enterprise");
    await confirm("Upgrade to Enterprise?", "Upgrade now");
    await expectToast("Update Failed", /^The subscription has changed in the meantime/);
    expect(await screen.findByRole("button", { name: "Resume now" })).toBeTruthy();
    expect(screen.queryByRole("alertdialog")).toBeNull();
  });
});

describe("pause", () => {
  it.each([
    [3, "Feb 21, 2027", "Mar 16, 2027"],
    [6, "May 21, 2027", "Jun 13, 2027"],
  ])("for %i months explains the effect, and pauses once", async (months, date, moved) => {
    const seen: number[] = [];
    await open(anActive(), {
      billing: (state) => ({
        pauseSubscription: (request) => {
          seen.push(request.months);
          state.subscription = aPaused();
          return { subscription: state.subscription };
        },
      }),
    });
    await press("Pause");
    const question = await dialog("Pause the subscription?");
    fireEvent.click(question.getByRole("radio", { name: `${months} months` }));
    expect(question.getByText(new RegExp(`^It resumes automatically on ${date}`))).toBeTruthy();
    expect(question.getByText("Nothing is billed while it is paused.")).toBeTruthy();
    expect(
      question.getByText(
        `The current period is kept: its end moves from Dec 14, 2026 to ${moved}. The next charge is on that day.`,
      ),
    ).toBeTruthy();
    const confirm = question.getByRole("button", { name: `Pause for ${months} months` });
    fireEvent.click(confirm);
    fireEvent.click(confirm);
    await expectToast("Subscription paused", "It resumes automatically on Feb 21, 2027.");
    expect(seen).toEqual([months]);
    expect(await screen.findByRole("button", { name: "Resume now" })).toBeTruthy();
  });

  it("shows the moved end in Spanish", async () => {
    await open(anActive());
    await press("Pause");
    await changeLanguage("es");
    const question = await dialog("¿Pausar la suscripción?");
    expect(
      question.getByText(/^El periodo actual se conserva: ahora termina el 16 mar 2027/),
    ).toBeTruthy();
  });

  it("may fail", async () => {
    await open(
      anActive(),
      failing("pauseSubscription", new ConnectError("Not today.", Code.Internal)),
    );
    await press("Pause");
    await confirm("Pause the subscription?", "Pause for 3 months");
    await expectToast("Pause Failed", "Not today.");
    expect(screen.getByRole("alertdialog")).toBeTruthy();
  });
});

describe("reactivation", () => {
  const reactivates = {
    billing: (state: State) => ({
      reactivateSubscription: () => {
        state.subscription = anActive();
        return { subscription: state.subscription };
      },
    }),
  };

  it("ends a pause and shows what is billed", async () => {
    await open(aPaused(), reactivates);
    await screen.findByText("$54 a month");
    await press("Resume now");
    const question = await dialog("Resume the subscription?");
    expect(question.getByText("Billing resumes immediately, at $54 a month.")).toBeTruthy();
    fireEvent.click(question.getByRole("button", { name: "Resume now" }));
    await expectToast("Subscription resumed");
    expect(await screen.findByText("Renews on Dec 14, 2026.")).toBeTruthy();
  });

  it("shows until when the rest of the paid time lasts", async () => {
    await open(aPaused({ currentPeriodEnd: on(2027, 3, 16) }), reactivates);
    await screen.findByText("$54 a month");
    await press("Resume now");
    const question = await dialog("Resume the subscription?");
    const text =
      /The current period continues until Dec 14, 2026\. Then it renews at \$54 a month; nothing is charged before/;
    expect(question.getByText(text)).toBeTruthy();
  });

  it("undoes a cancellation", async () => {
    await open(aCanceled(), reactivates);
    await screen.findByText("$54 a month");
    await press("Keep my plan");
    const question = await dialog("Keep your plan?");
    expect(question.getByText("It renews on Dec 14, 2026, at $54 a month.")).toBeTruthy();
    fireEvent.click(question.getByRole("button", { name: "Keep my plan" }));
    await expectToast("Your plan continues");
  });

  it("may fail", async () => {
    await open(
      aPaused(),
      failing("reactivateSubscription", refusal(Code.Unavailable, "PAYMENT_PROVIDER")),
    );
    await press("Resume now");
    await confirm("Resume the subscription?", "Resume now");
    await expectToast("Reactivation Failed", /^The payment provider is not available/);
    expect(screen.getByRole("alertdialog")).toBeTruthy();
  });
});

describe("cancel", () => {
  it.each<[string, Subscription, string, string, string | RegExp, string]>([
    [
      "trial",
      aTrial(),
      "End trial",
      "End the free trial now?",
      /^Access ends immediately for everyone/,
      "End trial now",
    ],
    [
      "paid",
      anActive(),
      "Cancel subscription",
      "Cancel the subscription?",
      "Everything stays open until Dec 14, 2026, the end of the current period.",
      "Cancel subscription",
    ],
    [
      "unpaid",
      aGrace(),
      "Cancel subscription",
      "Cancel the subscription?",
      /^Access ends immediately, and the open payment/,
      "Cancel subscription",
    ],
    [
      "paused",
      aPaused(),
      "Cancel subscription",
      "Cancel the subscription?",
      /^The pause ends\. If the current period/,
      "Cancel subscription",
    ],
    [
      "paused within the paid time",
      aPaused({ currentPeriodEnd: on(2027, 3, 16) }),
      "Cancel subscription",
      "Cancel the subscription?",
      /^The pause ends\. Everything stays open until Dec 14, 2026/,
      "Cancel subscription",
    ],
    [
      "agreed",
      anAgreed(),
      "Cancel subscription",
      "Cancel the subscription?",
      "Everything stays open until Dec 14, 2026, as agreed with us.",
      "Cancel subscription",
    ],
  ])("explains the effect: %s", async (_, subscription, button, title, text, confirm) => {
    let times = 0;
    await open(subscription, {
      billing: (state) => ({
        cancelSubscription: () => {
          times += 1;
          state.subscription = anExpired();
          return { subscription: state.subscription };
        },
      }),
    });
    await press(button);
    const question = await dialog(title);
    expect(question.getByText(text)).toBeTruthy();
    const yes = question.getByRole("button", { name: confirm });
    fireEvent.click(yes);
    fireEvent.click(yes);
    await expectToast(button === "End trial" ? "Free trial ended" : "Subscription canceled");
    expect(times).toBe(1);
  });

  it("shows until when everything stays open", async () => {
    await open(anActive(), {
      billing: (state) => ({
        cancelSubscription: () => {
          state.subscription = aCanceled();
          return { subscription: state.subscription };
        },
      }),
    });
    await press("Cancel subscription");
    await confirm("Cancel the subscription?", "Cancel subscription");
    await expectToast("Subscription canceled", "Everything stays open until Dec 14, 2026.");
    expect(await screen.findByRole("button", { name: "Keep my plan" })).toBeTruthy();
    // The button that opened the dialog is removed.
    const title = screen.getByRole("heading", { level: 1 });
    await waitFor(() => expect(document.activeElement).toBe(title));
  });

  it("may fail", async () => {
    await open(
      anActive(),
      failing("cancelSubscription", new ConnectError("Not today.", Code.Internal)),
    );
    (await screen.findByRole("button", { name: "Cancel subscription" })).focus();
    await press("Cancel subscription");
    await confirm("Cancel the subscription?", "Cancel subscription");
    await expectToast("Cancellation Failed", "Not today.");
    expect(screen.getByRole("alertdialog")).toBeTruthy();
    await press("Keep subscription");
    const button = await screen.findByRole("button", { name: "Cancel subscription" });
    await waitFor(() => expect(document.activeElement).toBe(button));
  });
});
