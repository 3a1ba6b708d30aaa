import { fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { QRCodeSVG } from "qrcode.react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { settlePasswordRequest } from "#/session/reauth";
import { currentToast } from "#/shared/toast/store";
import { reauthRequired } from "#/test/refusal";
import {
  cardCode,
  inDialog,
  luis,
  maria,
  openOperators,
  operatorNamed,
  press,
  refusal,
  sharedPassword,
  submit,
  expectToast,
} from "../operators.fixture";

import { signInUrl } from "./sign-in-url";

const print = vi.fn<() => void>();

beforeEach(() => {
  print.mockClear();
  vi.stubGlobal("print", print);
});

const paper = () => document.querySelector<HTMLElement>('body > [data-print-report="cards"]');
const cards = () => Array.from(paper()?.querySelectorAll("article") ?? []);
const crowd = Array.from({ length: 9 }, (_, index) =>
  operatorNamed(`Ana ${index}`, "Paz", `ana900${index}`),
);

async function printAll(options: Parameters<typeof openOperators>[0]) {
  const opened = await openOperators(options);
  press("Print Access Cards");
  submit(/^Print \d+ card/);
  await waitFor(() => expect(print).toHaveBeenCalledOnce());
  return opened;
}

describe("what cards need", () => {
  it.each([
    ["no operator", { operators: [] }],
    ["no operator password", { passwordSet: false }],
  ])("%s: refused", async (_, options) => {
    const { calls } = await openOperators(options);
    press("Print Access Cards");
    await expectToast("Cannot Print Cards", "No operators found or master password not set.");
    expect(screen.queryByRole("dialog")).toBeNull();
    expect(calls).toEqual([]);
  });

  it("a password that was removed in the meantime: refused", async () => {
    const { state } = await openOperators();
    press("Print Access Cards");
    state.refuse = refusal("There is no operator password.");
    submit("Print 1 card");
    await expectToast("Cannot Print Cards", "No operators found or master password not set.");
    expect(print).not.toHaveBeenCalled();
  });

  it("warns if someone who left knows the password", async () => {
    await openOperators({ stale: true });
    press("Print Access Cards");
    expect(inDialog().getByText(/still knows this operator password/)).toBeTruthy();
  });
});

describe("when the server wants a recent sign-in", () => {
  it.each([
    ["the password is confirmed: printed", true, 1],
    ["the question is put away: nothing, and no failure", false, 0],
  ])("%s", async (_, confirmed, printed) => {
    const { calls, state } = await openOperators();
    press("Print Access Cards");
    state.refuse = reauthRequired();
    submit("Print 1 card");
    await waitFor(() => expect(calls).toHaveLength(1));
    state.refuse = null;
    await waitFor(() => {
      settlePasswordRequest(confirmed);
      expect(inDialogOrPaper()).toBe(true);
    });
    await waitFor(() => expect(print).toHaveBeenCalledTimes(printed));
    expect(calls).toHaveLength(1 + 2 * printed);
    expect(currentToast()).toBeNull();
  });
});

describe("a card", () => {
  it("has company, name, username, password, a code and the steps in both languages", async () => {
    await printAll({});
    const card = within(cards()[0] ?? document.body);
    for (const text of ["Acme", "Maria Lopez", "maria4821", sharedPassword]) {
      expect(card.getByText(text)).toBeTruthy();
    }
    expect(card.getByText("Enter username and password exactly as printed.")).toBeTruthy();
    expect(card.getByText("Escribe usuario y contraseña tal como están aquí.")).toBeTruthy();
    expect(card.getByText("Username / Usuario")).toBeTruthy();
    expect(cards()[0]?.querySelector("svg path")).toBeTruthy();
  });

  it("has no shared password for an operator with a personal one", async () => {
    await printAll({ operators: [luis, maria] });
    expect(cards()[0]?.textContent).toContain("Personal password");
    expect(cards()[0]?.textContent).not.toContain(sharedPassword);
    expect(cards()[1]?.textContent).toContain(sharedPassword);
  });

  it("has a one-time code in its QR code", async () => {
    await printAll({});
    const url = signInUrl(window.location.origin, "maria4821", cardCode);
    const expected = render(<QRCodeSVG value={url} level="M" marginSize={4} />).container;
    const drawn = (within: Element | undefined) =>
      within?.querySelectorAll("svg path")[1]?.getAttribute("d");
    expect(drawn(expected)).toBeTruthy();
    expect(drawn(cards()[0])).toBe(drawn(expected));
  });

  it("keeps hostile names as text", async () => {
    const name = "<script>alert(1)</script><img src=x onerror=alert(1)>";
    await printAll({ operators: [operatorNamed(name, "O", "script10001")] });
    expect(cards()[0]?.textContent).toContain(name);
    expect(paper()?.querySelector("script, img")).toBeNull();
  });
});

describe("the paper", () => {
  it.each([
    ["UTC", "Letter", "letter-cards"],
    ["America/Chicago", "A4", "cards"],
  ])("is the usual one in %s, or %s on request", async (timeZone, other, report) => {
    await openOperators({ timeZone });
    press("Print Access Cards");
    const choice = inDialog().getByLabelText<HTMLInputElement>(other);
    expect(choice.checked).toBe(false);
    fireEvent.click(choice);
    submit("Print 1 card");
    await waitFor(() => expect(print).toHaveBeenCalledOnce());
    expect(document.querySelector(`body > [data-print-report="${report}"]`)).toBeTruthy();
    localStorage.removeItem("cardPaper");
  });
});

describe("which cards", () => {
  it("are all at first, eight a sheet", async () => {
    await printAll({ operators: crowd });
    const sheets = Array.from(paper()?.querySelectorAll("section") ?? []);
    expect(sheets.map((sheet) => sheet.querySelectorAll("article").length)).toEqual([8, 1]);
  });

  it("are those that were chosen", async () => {
    await openOperators({ operators: [maria, luis] });
    press("Print Access Cards");
    fireEvent.click(inDialog().getByRole("button", { name: "None" }));
    fireEvent.click(inDialog().getByRole("button", { name: /^Print 0 cards/ }));
    expect(print).not.toHaveBeenCalled();
    fireEvent.click(inDialog().getByLabelText(/Maria Lopez/));
    submit("Print 1 card");
    await waitFor(() => expect(cards().map((card) => card.textContent)).toHaveLength(1));
    expect(cards()[0]?.textContent).toContain("Maria Lopez");
  });

  it("need no reveal if none has the shared password", async () => {
    const { calls } = await printAll({ operators: [luis] });
    expect(calls).toEqual([["codes", luis.id]]);
  });
});

describe("security 3: the revealed password", () => {
  it.each([
    ["the print window has closed", () => fireEvent(window, new Event("afterprint"))],
    ["the tab goes away", () => fireEvent(window, new Event("pagehide"))],
    ["the page is used again", () => fireEvent.pointerDown(document.body)],
    ["a key is pressed on the page", () => fireEvent.keyDown(document.body, { key: "Escape" })],
  ])("is dropped when %s", async (_, leave) => {
    await printAll({});
    expect(document.documentElement.innerHTML).toContain(sharedPassword);
    leave();
    await waitFor(() => expect(paper()).toBeNull());
    expect(document.documentElement.innerHTML).not.toContain(sharedPassword);
  });

  it("is dropped when the screen is left", async () => {
    const { view } = await printAll({});
    view.unmount();
    expect(document.documentElement.innerHTML).not.toContain(sharedPassword);
  });

  it("is in no cache and no storage", async () => {
    const { queryClient } = await printAll({});
    const kept = [
      ...queryClient.getQueryCache().getAll(),
      ...queryClient.getMutationCache().getAll(),
    ].map(({ state }) => JSON.stringify(state, (_, each: unknown) => plain(each)));
    const stored = [...Object.values(localStorage), ...Object.values(sessionStorage)];
    expect([...kept, ...stored].join()).not.toContain(sharedPassword);
  });

  it("is fetched once, however often the button is pressed", async () => {
    const { calls } = await openOperators();
    press("Print Access Cards");
    const button = inDialog().getByRole("button", { name: "Print 1 card" });
    fireEvent.click(button);
    fireEvent.click(button);
    await waitFor(() => expect(print).toHaveBeenCalled());
    expect(calls).toEqual([["reveal"], ["codes", maria.id]]);
  });
});

/** Waits until the cards are printed or the button is enabled again. */
function inDialogOrPaper(): boolean {
  return paper() !== null || screen.queryByRole("button", { name: "Print 1 card" }) !== null;
}

function plain(value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
