import { Code, ConnectError } from "@connectrpc/connect";
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { BillingInterval, SandboxDecision } from "#/api/gen/hourmeter/billing/v1/billing_pb";
import { changeLanguage } from "#/i18n";
import { operator, owner } from "#/test/render-app";
import { on } from "#/test/subscription";
import { ownPath } from "./own-path";
import { openSandbox, sandbox } from "./sandbox.fixture";

const path = "/sandbox/checkout/s1";
const button = (name: string) => screen.findByRole("button", { name });
const press = async (name: string) => fireEvent.click(await button(name));

describe("the checkout", () => {
  it("shows what is bought, what is due and that no money moves, without the app shell", async () => {
    await openSandbox(path, sandbox());
    const title = await screen.findByRole("heading", { level: 1 });
    expect(title.textContent).toBe("Subscribe to Professional");
    expect(await screen.findByText("Up to 30 pieces of equipment", { exact: false })).toBeTruthy();
    expect(screen.getByText("per month")).toBeTruthy();
    expect(screen.getByText("Due today").nextElementSibling?.textContent).toBe("$54.00");
    expect(screen.getByText("Acme Earthworks")).toBeTruthy();
    expect(screen.getByText(/No card is needed and no money moves/)).toBeTruthy();
    expect(screen.queryByRole("navigation")).toBeNull();
    await waitFor(() => expect(document.title).toMatch(/^Checkout - /));
  });

  it("shows the date of the first charge in a trial", async () => {
    const state = sandbox();
    state.checkout.dueCents = 0;
    state.checkout.firstChargeAt = on(2026, 12, 18);
    await openSandbox(path, state);
    expect(await button("Start the plan")).toBeTruthy();
    expect(screen.getByText("Due today").nextElementSibling?.textContent).toBe("$0.00");
    const first = screen.getByText("First charge on Dec 18, 2026");
    await waitFor(() => expect(first.nextElementSibling?.textContent).toBe("$54.00"));
    await changeLanguage("es");
    expect(screen.getByText("Primer cobro el 18 dic 2026")).toBeTruthy();
    expect(await button("Empezar el plan")).toBeTruthy();
  });

  it("a year is paid up front", async () => {
    const state = sandbox();
    state.checkout.interval = BillingInterval.YEAR;
    state.checkout.dueCents = 55_080;
    await openSandbox(path, state);
    expect(await screen.findByText(/\$45\.90 per month/)).toBeTruthy();
    expect(screen.getByText("per year")).toBeTruthy();
    expect(screen.getByText("Due today").nextElementSibling?.textContent).toBe("$550.80");
  });

  it("speaks Spanish", async () => {
    await openSandbox(path, sandbox());
    await button("Pay $54.00");
    await changeLanguage("es");
    expect(await button("Pagar $54.00")).toBeTruthy();
    expect(screen.getByText("A pagar hoy")).toBeTruthy();
  });

  it("pays once, however often it is pressed, and goes back", async () => {
    const state = sandbox();
    let open: () => void = () => undefined;
    state.gate = new Promise((resolve) => {
      open = resolve;
    });
    const { router } = await openSandbox(path, state);
    await press("Pay $54.00");
    await press("Processing…");
    await press("Decline the card");
    await press("Go back");
    open();
    await waitFor(() => expect(router.state.location.pathname).toBe("/subscription"));
    expect(state.decisions).toEqual([SandboxDecision.SUCCEED]);
  });

  it("stays open after a declined card", async () => {
    const state = sandbox();
    const { router } = await openSandbox(path, state);
    await press("Decline the card");
    const alert = await screen.findByRole("alert");
    expect(alert.textContent).toContain("The card was declined");
    expect(router.state.location.pathname).toBe(path);
    await press("Pay $54.00");
    await waitFor(() => expect(router.state.location.pathname).toBe("/subscription"));
    expect(state.decisions).toEqual([SandboxDecision.DECLINE, SandboxDecision.SUCCEED]);
  });

  it("can be left", async () => {
    const state = sandbox();
    state.url = "/subscription?canceled=true";
    const { router } = await openSandbox(path, state);
    await press("Go back");
    await waitFor(() => expect(router.state.location.pathname).toBe("/subscription"));
    expect(state.decisions).toEqual([SandboxDecision.CANCEL]);
  });

  it("follows no address of another site", async () => {
    const state = sandbox();
    state.url = "https://evil.example/subscription";
    const { router } = await openSandbox(path, state);
    await press("Pay $54.00");
    await waitFor(() => expect(router.state.location.pathname).toBe("/subscription"));
  });

  it("shows that it was paid or canceled in the meantime, with a link back", async () => {
    const state = sandbox();
    const { router } = await openSandbox(path, state);
    await button("Pay $54.00");
    state.checkout.open = false;
    state.closed = new ConnectError("Closed.", Code.FailedPrecondition);
    await press("Pay $54.00");
    expect(await screen.findByRole("heading", { name: "This checkout is closed" })).toBeTruthy();
    expect(router.state.location.pathname).toBe(path);
  });

  it("that is closed offers only a link back", async () => {
    const state = sandbox();
    state.checkout.open = false;
    await openSandbox(path, state);
    expect(await screen.findByRole("heading", { name: "This checkout is closed" })).toBeTruthy();
    expect(screen.queryByRole("button", { name: /Pay/ })).toBeNull();
    expect(screen.getByRole("link", { name: "Go to Subscription" })).toBeTruthy();
  });

  it("that is unknown shows an error", async () => {
    await openSandbox("/sandbox/checkout/zz", sandbox());
    expect(await screen.findByRole("heading", { name: "Checkout not found" })).toBeTruthy();
    expect(screen.getByRole("link", { name: "Go to Subscription" })).toBeTruthy();
  });

  it("that can't be loaded offers a retry", async () => {
    const state = sandbox();
    state.fail = new ConnectError("The disk is full.", Code.Internal);
    await openSandbox(path, state);
    expect((await screen.findByRole("alert")).textContent).toContain("The disk is full.");
    state.fail = null;
    await press("Try again");
    expect(await button("Pay $54.00")).toBeTruthy();
  });

  it("keeps the page when the server can't be reached while paying", async () => {
    const state = sandbox();
    await openSandbox(path, state);
    await button("Pay $54.00");
    state.fail = new ConnectError("Busy.", Code.Unavailable);
    await press("Pay $54.00");
    expect((await screen.findByRole("alert")).textContent).toContain("busy");
    state.fail = null;
    expect(await button("Pay $54.00")).toBeTruthy();
  });
});

describe("who may pay", () => {
  it("a visitor signs in and is where they were", async () => {
    const { router } = await openSandbox(path, sandbox(), null);
    const type = (label: string, value: string) =>
      fireEvent.change(screen.getByLabelText(label), { target: { value } });
    await screen.findByRole("heading", { level: 1, name: "Owner Login" });
    type("Email or business name", "ana@acme.test");
    type("Password", "secret-password");
    await press("Sign In");
    expect(await button("Pay $54.00")).toBeTruthy();
    expect(router.state.location.pathname).toBe(path);
  });

  it("an operator gets the operator dashboard, with its header", async () => {
    await openSandbox(path, sandbox(), operator);
    await screen.findByRole("heading", { level: 1, name: "Equipment Updates" });
    expect(screen.queryByRole("button", { name: /Pay/ })).toBeNull();
    expect(screen.getByRole("button", { name: "Open menu" })).toBeTruthy();
  });

  it("support staff get the page for unknown addresses", async () => {
    await openSandbox(path, sandbox(), { ...owner, role: "support", companyId: null });
    expect(await screen.findByRole("heading", { name: "Page not found" })).toBeTruthy();
  });

  it("a manager may", async () => {
    await openSandbox(path, sandbox(), { ...owner, role: "manager" });
    expect(await button("Pay $54.00")).toBeTruthy();
  });
});

describe("the address to follow", () => {
  it.each([
    ["/subscription?success=true", "/subscription?success=true"],
    ["subscription", "/subscription"],
    ["http://localhost:3000/subscription?x=1#y", "/subscription?x=1#y"],
    ["https://evil.example/subscription", null],
    ["//evil.example/subscription", null],
    ["/\\evil.example", null],
    ["http://localhost:3000//evil.example", null],
    ["javascript:alert(1)", null],
    ["http://", null],
  ])("%s: %s", (url, path) => {
    vi.stubGlobal("location", new URL("http://localhost:3000/"));
    expect(ownPath(url)).toBe(path);
    vi.unstubAllGlobals();
  });
});
